import { Agent, request } from 'node:http';

/** A complete response; `ms` is how long it took. */
export interface HttpReply {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

/** A client of one server under torture. */
export interface Caller {
  /** @returns null if no complete response arrived, so the effect of the request is unknown */
  call(path: string, options?: CallOptions): Promise<HttpReply | null>;
  close(): void;
}

export interface CallOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const PATIENCE_MS = 20_000;

/** Creates a caller. It does not use `fetch`, because no request may be retried automatically. */
export function createCaller(origin: string): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    call: (path, { method = 'GET', headers = {}, body } = {}) =>
      new Promise((resolve) => {
        const began = performance.now();
        const asked = request(`${origin}${path}`, { agent, method, headers, timeout: PATIENCE_MS }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          answer.on('error', () => resolve(null));
          answer.on('close', () => {
            const ms = performance.now() - began;
            resolve(answer.complete ? { status: answer.statusCode!, body: text, ms } : null);
          });
        });
        asked.on('timeout', () => asked.destroy());
        asked.on('error', () => resolve(null));
        asked.end(body);
      }),
    close: () => agent.destroy(),
  };
}
