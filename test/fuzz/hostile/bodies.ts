import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from './random.js';
import { conversation, manyMessages, tryingText } from './conversations.js';
import { hostileText } from './fragments.js';
import { matchWith } from './known.js';
import type { World } from './world.js';
import { mutate } from './mutate.js';
import type { Request } from './request.js';

/** Returns a match request with an invalid, extreme or odd body. */
export function hostileBody(world: World, random: Random): Request {
  return random.pick(BODIES)(world, random);
}

type Body = (world: World, random: Random) => Request;

const LIMIT = 256 * 1024;

const BODIES: readonly Body[] = [
  (world, random) => matchWith(world, JSON.stringify(anyJson(random, 4))),
  (world, random) => matchWith(world, mutate(Buffer.from(JSON.stringify(conversation(random))), random)),
  (world, random) => matchWith(world, mutate(Buffer.from(JSON.stringify(conversation(random))), random)),
  (world, random) => matchWith(world, random.pick(BROKEN)),
  (world, random) => matchWith(world, random.bytes(random.length(4000))),
  (world, random) => matchWith(world, nested(random)),
  (world, random) => matchWith(world, encoded(JSON.stringify(conversation(random)), random)),
  (world, random) => compressed(world, random),
  (world, random) => matchWith(world, JSON.stringify({ context: tryingText(random) })),
  (world, random) => matchWith(world, JSON.stringify({ messages: manyMessages(random) })),
  (world, random) => matchWith(world, 'x'.repeat(LIMIT - 2 + random.below(5))),
];

const BROKEN: readonly string[] = [
  '',
  '{',
  '"',
  '{"context":',
  '{"context":"x"',
  '{"context":"x",}',
  '{"context":"x"}{}',
  "{'context':'x'}",
  '{"context":"\\x"}',
  '{"context":"\\u12"}',
  '{"context":"\\ud800"}',
  '{"context":"\\udfff\\ud800 hello"}',
  '{"messages":[{"role":"user","content":"\\ud800"}]}',
  '{"context":"a\nb"}',
  '{"context":"x","context":7}',
  '{"__proto__":{"context":"x"}}',
  '{"context":"x","__proto__":null,"constructor":{"prototype":{"a":1}}}',
  '{"context":{"toString":"x"}}',
  '{"context":1e999}',
  '{"messages":{"length":1000000000}}',
  '{"messages":[{"role":"__proto__","content":"x"}]}',
  '{"messages":[{"role":"user","content":[{"type":"__proto__","text":"x"}]}]}',
  'NaN',
  '-',
  '01',
  'null',
  '[]',
  '0',
  'true',
  '\ufeff{"context":"x"}',
  '/* */{"context":"x"}',
];

/** Returns a random JSON value with at most this depth. */
function anyJson(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 7 : 5);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick([0, -0, -1, 1e308, 5e-324, 2 ** 53, random.below(1000)]);
  if (kind < 5) return hostileText(random);
  const items = Array.from({ length: random.length(12) }, () => anyJson(random, depth - 1));
  if (kind === 5) return items;
  const names = ['context', 'messages', 'role', 'content', 'type', 'text', 'length'];
  return Object.fromEntries(items.map((item) => [random.chance(0.7) ? random.pick(names) : hostileText(random), item]));
}

/** Returns brackets nested as deep as the limit allows, alone, closed, or within fields that the server reads. */
function nested(random: Random): string {
  const depth = random.length(random.chance(0.05) ? LIMIT / 2 - 40 : 5000);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"content":[', ']}'],
  ] as const);
  const times = Math.floor((depth * 2) / (open.length + close.length));
  const inner = open.repeat(times) + random.pick(['', '1', '"x"']) + (random.chance(0.7) ? close.repeat(times) : '');
  return random.pick([
    inner,
    `{"context":${inner}}`,
    `{"messages":[{"role":"user","content":${inner}}]}`,
    JSON.stringify({ context: inner }),
  ]);
}

function encoded(text: string, random: Random): Buffer {
  const wide = Buffer.from(text, 'utf16le');
  return random.pick([
    () => wide,
    () => Buffer.from(wide).swap16(),
    () => Buffer.concat([Buffer.of(0xff, 0xfe), wide]),
    () => Buffer.from(text, 'latin1'),
    () => Buffer.concat([Buffer.from('{"context":"'), random.bytes(random.length(500)), Buffer.from('"}')]),
    () => Buffer.from(encodeURIComponent(text.toWellFormed())),
    () => Buffer.from(Buffer.from(text).toString('base64')),
  ])();
}

function compressed(world: World, random: Random): Request {
  const text = random.chance(0.05) ? 'x'.repeat(4_000_000) : JSON.stringify(conversation(random));
  const [name, bytes] = random.pick([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (content: string) => brotliCompressSync(content, BROTLI_QUICK)],
  ] as const);
  const request = matchWith(world, bytes(text));
  return random.chance(0.7) ? { ...request, headers: [...request.headers, ['Content-Encoding', name]] } : request;
}

const BROTLI_QUICK = { params: { 1: 1 } };
