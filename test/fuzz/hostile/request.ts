/** A request as it goes onto the wire, still in its parts. */
export interface Request {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  /** In order, as they are sent; `Host` and what frames the body are added. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

export interface RenderOptions {
  /** Whether the server is told to close the connection behind its answer. */
  readonly close: boolean;
}

/** The bytes of a request, well framed. */
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
