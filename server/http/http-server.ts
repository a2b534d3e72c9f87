import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { CONNECTION_LIMITS, type HttpConnectionLimits, oneResponseAtATime, limitConnections } from './connections.js';

/** An HTTP server that listens as soon as it is created and can shut down without a failed request. */
export interface HttpServer {
  readonly port: number;
  /** True once `drain` has begun. */
  readonly draining: boolean;
  /**
   * Handles requests from now on. Until then every path returns 503, except `/healthz` if it is served on this port.
   */
  handle(listener: RequestListener): void;
  /**
   * Shuts down in order. No new connections are accepted. For `noticeMs`, open connections get one more response and
   * are closed with it. Then idle connections are closed, and running requests have at most `limitMs` to finish.
   */
  drain(noticeMs: number, limitMs: number): Promise<void>;
}

/** The server cannot listen on the address; the message says why and what to do. */
export class ListenError extends Error {}

const OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 5000,
  keepAliveTimeout: 65_000,
  // Node itself would refuse such requests, without a limit on how many a client sends ahead.
  requireHostHeader: false,
};

/** A connection without any traffic for this long is closed, even if the client does not read its response. */
const IDLE_TIMEOUT_MS = 60_000;

export interface HttpServerOptions {
  /** Overrides of the default limits. */
  readonly limits?: Partial<HttpConnectionLimits>;
  /** Setting names for the advice in errors. Default: PORT and HOST. */
  readonly names?: ListenNames;
  /** Whether `/healthz` is served on this port. Default: true. */
  readonly answersHealth?: boolean;
}

/** Opens the port. @throws ListenError */
export async function openHttpServer(
  port: number,
  host: string | undefined,
  { limits = {}, names = { port: 'PORT', host: 'HOST' }, answersHealth = true }: HttpServerOptions = {},
): Promise<HttpServer> {
  let listener: RequestListener = starting(answersHealth);
  let draining = false;
  const allLimits = { ...CONNECTION_LIMITS, ...limits };
  const answer = oneResponseAtATime((request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    if (lacksHost(request)) refuseWithoutHost(response);
    else listener(request, response);
  }, allLimits);
  const server = createServer(OPTIONS, answer);
  // Node would answer an unknown Expect itself, again without a limit. HTTP allows to ignore it.
  server.on('checkExpectation', answer);
  server.timeout = IDLE_TIMEOUT_MS;
  limitConnections(server, allLimits);
  server.on('clientError', answerClientError);
  await listen(server, port, host, names);

  return {
    port: (server.address() as AddressInfo).port,
    get draining() {
      return draining;
    },
    handle(next) {
      listener = next;
    },
    async drain(noticeMs, limitMs) {
      draining = true;
      const limit = setTimeout(() => server.closeAllConnections(), noticeMs + limitMs);
      await acceptAllThatConnected(server);
      // Not the HTTP server's own close: that closes idle connections at once, and a request may already be on its way.
      const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
      await Promise.race([closed, pause(noticeMs)]);
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearInterval(sweep);
      clearTimeout(limit);
    },
  };
}

/** Max wait for pending connections; enough for some hundred of them. During a flood there is always one more. */
const ACCEPT_MS = 500;

/**
 * Resolves after an event-loop turn without a new connection. The system completes connections before the server
 * accepts them, one per turn, and resets the remaining ones when listening ends. A proxy that opens a connection per
 * request would lose some at each restart.
 */
async function acceptAllThatConnected(server: Server): Promise<void> {
  let quietTurns = 0;
  const note = (): void => void (quietTurns = 0);
  server.on('connection', note);
  const until = performance.now() + ACCEPT_MS;
  // Two quiet turns, since the first is only the rest of the current one.
  while (quietTurns < 2 && performance.now() < until) {
    quietTurns++;
    await nextTurn();
  }
  server.off('connection', note);
}

function starting(answersHealth: boolean) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const alive = answersHealth && request.url === '/healthz';
    response.writeHead(alive ? 200 : 503, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'retry-after',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Retry-After': '1',
    });
    response.end(JSON.stringify(alive ? { status: 'ok' } : { error: 'the server is starting' }));
  };
}

/** Whether a request lacks the header that HTTP/1.1 requires. */
function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

function refuseWithoutHost(response: ServerResponse): void {
  response.writeHead(400, {
    'Content-Type': 'application/json',
    'Access-Control-Allow-Origin': '*',
    Connection: 'close',
  });
  response.end(JSON.stringify({ error: 'the header Host is missing' }));
}

/** Answers requests that are not HTTP, or whose headers are too large, with an error in the usual format. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // As Node does by default: what follows the beginning of a response would be taken for a part of it.
  const { _httpMessage: response } = socket as { readonly _httpMessage?: ServerResponse | null };
  if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent) return void socket.destroy();
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? ['400 Bad Request', 'the request is not HTTP'];
  const body = JSON.stringify({ error: message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n${body}`,
  );
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
};

/** Names of a listener's settings. */
interface ListenNames {
  readonly port: string;
  readonly host: string;
}

async function listen(server: Server, port: number, host: string | undefined, names: ListenNames): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ListenError((code === undefined ? undefined : advice(code, port, host, names)) ?? message, {
      cause: error,
    });
  }
}

function advice(code: string, port: number, host: string | undefined, names: ListenNames): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is already in use; stop the program that listens there, or choose another with ${names.port}=${port + 1}`;
    case 'EACCES':
      return `this user may not listen on port ${port}; choose one above 1023 with ${names.port}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${names.host} ${host} is not an address of this machine`;
    default:
      return undefined;
  }
}
