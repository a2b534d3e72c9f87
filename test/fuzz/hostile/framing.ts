import type { Random } from './random.js';
import { cheapRequest, honestRequest } from './known.js';
import type { World } from './world.js';
import { render, type Request } from './request.js';

/** Returns requests with contradictory, wrong or missing lengths, as used for request smuggling. */
export function oddFraming(world: World, random: Random): Buffer {
  const body = '{"context":"User: hello"}';
  const request: Request = { ...honestRequest(world, random), method: random.pick(['POST', 'POST', 'GET']), body };
  const smuggled = render(cheapRequest(world, random), { close: true }).toString('latin1');
  const framings: readonly (readonly (readonly [string, string])[])[] = [
    [['Content-Length', String(body.length - 1 - random.below(20))]],
    [['Content-Length', String(body.length + 1 + random.below(2000))]],
    [['Content-Length', random.pick(['-1', '+5', '5, 5', '0x5', '', ' ', '99999999999999999999', '5\0', '1e2'])]],
    [
      ['Content-Length', '5'],
      ['Content-Length', '6'],
    ],
    [
      ['Content-Length', String(body.length)],
      [
        'Transfer-Encoding',
        random.pick(['chunked', 'Chunked ', 'xchunked', 'identity', 'chunked, identity', '\tchunked']),
      ],
    ],
    [
      [
        'Transfer-Encoding',
        random.pick(['chunked', 'gzip, chunked', 'chunked, chunked', 'chunked;x=1', '\u000bchunked']),
      ],
    ],
    [['Transfer-Encoding : chunked\r\nX', 'x']],
    [['X: y\r\n Transfer-Encoding', 'chunked']],
    [['X: y\nTransfer-Encoding', 'chunked']],
    [['Expect', '100-continue']],
  ];
  const head = render(
    { ...request, headers: [...request.headers, ...random.pick(framings)], body: '' },
    { close: false },
  );
  return Buffer.concat([head, Buffer.from(random.pick([body, chunks(body, random), '']) + smuggled, 'latin1')]);
}

function chunks(body: string, random: Random): string {
  const size = body.length.toString(16);
  const line = random.pick([
    size,
    size,
    `0${size}`,
    `${size};a=b`,
    `${size} `,
    `0x${size}`,
    `-${size}`,
    'ffffffffffffffff',
    'zz',
  ]);
  const end = random.pick(['0\r\n\r\n', '0\r\n\r\n', '0\r\nX: y\r\n\r\n', '0\n\n', '', '00000000000000000000\r\n\r\n']);
  return `${line}\r\n${body}\r\n${end}`;
}

/** Returns the openings of other protocols, and random bytes. */
export function garbage(random: Random): Buffer {
  const openings = [
    () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0', 'latin1'),
    () => Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, ...random.bytes(60)]),
    () => Buffer.from('GET /\r\n'),
    () => Buffer.from(`GET / HTTP/${random.pick(['0.9', '1.2', '2.0', '1.', '-1', '1.1.1'])}\r\nHost: x\r\n\r\n`),
    () => Buffer.from('\r\n'.repeat(random.length(2000))),
    () => Buffer.from('EHLO x\r\n*1\r\n$4\r\nPING\r\n'),
    () => Buffer.alloc(random.length(20_000), random.below(256)),
    () => random.bytes(1 + random.length(3000)),
  ];
  return random.pick(openings)();
}
