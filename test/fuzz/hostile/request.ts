/** A request before it is rendered to bytes. */
export interface Request {
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly target: string;
  /** In order, exactly as sent; `Host` and the body's length are added. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

export interface RenderOptions {
  /** Whether to ask the server to close the connection after its response. */
  readonly close: boolean;
}

/** Renders a request to bytes with correct framing. */
export function render({ method, target, headers, body }: Request, { close }: RenderOptions): Buffer {
  const content = body === undefined ? null : Buffer.from(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(has(headers, 'host') ? [] : ['Host: localhost']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content === null || frames(headers) ? [] : [`Content-Length: ${content.length}`]),
    ...(close ? ['Connection: close'] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content ?? Buffer.of()]);
}

function frames(headers: Request['headers']): boolean {
  return has(headers, 'content-length') || has(headers, 'transfer-encoding');
}

function has(headers: Request['headers'], wanted: string): boolean {
  return headers.some(([name]) => name.toLowerCase() === wanted);
}
