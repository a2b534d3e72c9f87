import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/**
 * Creates a simple proxy that sends each request to the next node, and to the one after it if that cannot be reached.
 *
 * @param ports ports of the nodes on this machine
 */
export function roundRobin(ports: readonly number[]): Server {
  let turn = 0;
  return createServer((incoming, answer) => {
    // The client may have disconnected before the response arrives.
    answer.on('error', () => answer.destroy());
    const begin = turn++;
    const order = ports.map((_, at) => ports[(begin + at) % ports.length]!);
    void pass(incoming, answer, order);
  });
}

async function pass(incoming: IncomingMessage, answer: ServerResponse, ports: readonly number[]): Promise<void> {
  // Reads the whole body, since it may have to be sent again.
  const body = await buffer(incoming).catch(() => null);
  if (body === null) return void answer.destroy();
  for (const port of ports) {
    const reply = await send(incoming, body, port).catch(() => null);
    if (reply === null) continue;
    answer.writeHead(reply.statusCode ?? 502, { ...reply.headers, 'x-node': String(port) });
    reply.on('error', () => answer.destroy()).pipe(answer);
    return;
  }
  answer.writeHead(502).end('no node answers');
}

function send(
  { method, url, headers, socket }: IncomingMessage,
  body: Uint8Array,
  port: number,
): Promise<IncomingMessage> {
  const { 'transfer-encoding': _, ...others } = headers;
  const from = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');
  const forwarded = { 'x-forwarded-for': from, 'content-length': String(body.length) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path: url, headers: { ...others, ...forwarded }, agent: false };
    request(options, resolve).on('error', reject).end(body);
  });
}
