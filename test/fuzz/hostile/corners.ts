import { hostileText } from './fragments.js';
import type { Random } from './random.js';
import { cheapRequest, honestRequest, matchWith } from './known.js';
import type { World } from './world.js';
import { render, type Request } from './request.js';

/** Requests in the rarer forms of HTTP/1, and what follows them on their connection. */
export interface Corner {
  readonly requests: number;
  /** Sent one after the other, with a pause in between. */
  readonly pieces: readonly Buffer[];
}

const BODY = '{"context":"User: which green tea should I buy?"}';

/** HTTP/1.0, with and without `Host` and keep-alive, and with what that version does not know. */
export function oldVersion(world: World, random: Random): Corner {
  const old = (request: Request, close: boolean): Buffer =>
    Buffer.from(render(request, { close }).toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'), 'latin1');
  const added: readonly (readonly [string, string])[] = [
    ['Connection', random.pick(['keep-alive', 'close', 'keep-alive, close', 'Upgrade', ''])],
    ...(random.chance(0.2) ? ([['Transfer-Encoding', 'chunked']] as const) : []),
    ...(random.chance(0.2) ? ([['Expect', '100-continue']] as const) : []),
  ];
  const request = honestRequest(world, random);
  const first = old({ ...request, headers: [...request.headers, ...added] }, false);
  const head = random.chance(0.3) ? Buffer.from(first.toString('latin1').replace(/Host: .*\r\n/, ''), 'latin1') : first;
  return { requests: 2, pieces: [Buffer.concat([head, old(cheapRequest(world, random), true)])] };
}

/** `Expect`, whose body is sent with the head, later, never, or though none was announced. */
export function expecting(world: World, random: Random): Corner {
  const expectation = random.pick([
    '100-continue',
    '100-Continue',
    '200-maybe',
    '100-continue, x',
    '',
    hostileText(random),
  ]);
  const request = random.pick([matchWith(world, BODY), honestRequest(world, random)]);
  const bytes = render(
    {
      ...request,
      headers: [...request.headers, ['Expect', oneLine(expectation)], ...twice(random, 'Expect', '100-continue')],
    },
    { close: random.chance(0.5) },
  );
  const end = bytes.indexOf('\r\n\r\n') + 4;
  const [head, body] = [bytes.subarray(0, end), bytes.subarray(end)];
  const after = random.pick([[body], [], [body, render(cheapRequest(world, random), { close: true })]]);
  return {
    requests: 1 + after.length,
    pieces: random.chance(0.3) ? [Buffer.concat([head, ...after])] : [head, ...after],
  };
}

/** An offer of another protocol, and bytes of that protocol as if the offer had been accepted. */
export function upgrading(world: World, random: Random): Corner {
  const protocol = random.pick(['websocket', 'h2c', 'TLS/1.0', 'websocket, h2c', 'HTTP/1.1', '']);
  const request = random.pick([
    honestRequest(world, random),
    cheapRequest(world, random),
    { method: 'CONNECT', target: random.pick(['localhost:80', '/', `127.0.0.1:${random.below(70_000)}`]), headers: [] },
  ]);
  const head = render(
    {
      ...request,
      headers: [
        ...request.headers,
        ['Connection', random.pick(['Upgrade', 'upgrade, keep-alive', 'Upgrade, HTTP2-Settings', 'close, Upgrade'])],
        ['Upgrade', protocol],
        ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
        ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
        ['Sec-WebSocket-Version', '13'],
      ],
    },
    { close: false },
  );
  const after = random.pick([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0', 'latin1'),
    Buffer.from([0x81, 0x85, 1, 2, 3, 4, ...random.bytes(5)]),
    render(cheapRequest(world, random), { close: true }),
    random.bytes(random.length(2000)),
  ]);
  return { requests: 2, pieces: random.chance(0.5) ? [head, after] : [Buffer.concat([head, after])] };
}

/** A chunked body in pieces, with trailers that repeat headers, or that are long or many. */
export function trailing(world: World, random: Random): Corner {
  const { body = BODY, ...request } = random.pick([matchWith(world, BODY), honestRequest(world, random)]);
  const head = render(
    {
      ...request,
      headers: [
        ...request.headers,
        ['Transfer-Encoding', 'chunked'],
        ['Trailer', 'x-api-key, Host'],
        ['TE', 'trailers'],
      ],
    },
    { close: false },
  );
  const size = 1 + random.length(body.length);
  const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, at) => {
    const piece = Buffer.from(body).subarray(at * size, (at + 1) * size);
    return `${piece.length.toString(16)}\r\n${piece.toString('latin1')}\r\n`;
  });
  const names = ['x-api-key', 'Host', 'Content-Length', 'Transfer-Encoding', 'Cookie', 'Connection', '__proto__', 'X'];
  const trailers = Array.from({ length: random.length(random.chance(0.05) ? 3000 : 20) }, () => {
    return `${random.pick(names)}: ${random.pick(['chunked', '5', 'close', world.key, 'x'.repeat(random.length(9000))])}\r\n`;
  });
  const next = render(cheapRequest(world, random), { close: true });
  return {
    requests: 2,
    pieces: [head, Buffer.from(`${chunks.join('')}0\r\n${trailers.join('')}\r\n`, 'latin1'), next],
  };
}

/** Headers that are read, each sent twice with different values, in either order. */
export function duplicated(world: World, random: Random): Corner {
  const request = honestRequest(world, random);
  const others: Readonly<Record<string, string>> = {
    Host: 'other.example',
    'x-api-key': random.pick([world.key, 'pub_other', '']),
    'x-session-id': 'another',
    'Content-Type': 'text/plain',
    Origin: 'https://other.example',
    Cookie: world.cookie,
    Authorization: `Bearer ${world.adminToken}`,
    'User-Agent': 'curl/8',
    'X-Forwarded-For': '10.0.0.1, 192.0.2.7',
    'Sec-Fetch-Mode': 'navigate',
    'If-None-Match': '*',
    Connection: 'keep-alive',
  };
  const added = Object.entries(others).filter(() => random.chance(0.4));
  const headers = random.chance(0.5)
    ? [...request.headers, ...added, ...added.filter(() => random.chance(0.5))]
    : [...added, ...request.headers];
  return { requests: 1, pieces: [render({ ...request, headers }, { close: true })] };
}

function twice(random: Random, name: string, value: string): (readonly [string, string])[] {
  return random.chance(0.2) ? [[name, value]] : [];
}

/** Removes line ends, which would end the header. */
function oneLine(text: string): string {
  return Buffer.from(text.toWellFormed())
    .toString('latin1')
    .replaceAll(/[\r\n\0]/g, ' ');
}
