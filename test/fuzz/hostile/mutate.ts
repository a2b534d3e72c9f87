import type { Random } from './random.js';
import { hostileText } from './fragments.js';

/** Changes bytes at random: flips, cuts, repeats or moves some, or inserts hostile texts. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let changed = Buffer.from(bytes);
  for (let times = 1 + random.length(8); times > 0; times--)
    changed = Buffer.from(random.pick(MUTATIONS)(changed, random));
  return changed;
}

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const splice = (bytes: Buffer, from: number, to: number, put: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(to)]);

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, random) {
    if (bytes.length === 0) return bytes;
    const at = random.below(bytes.length);
    bytes[at] = bytes[at]! ^ (1 << random.below(8));
    return bytes;
  },
  function replaceByte(bytes, random) {
    if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  },
  function cutOut(bytes, random) {
    const from = random.below(bytes.length + 1);
    return splice(bytes, from, from + random.length(40), Buffer.of());
  },
  function cutShort(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1));
  },
  function repeat(bytes, random) {
    const from = random.below(bytes.length + 1);
    const piece = bytes.subarray(from, from + random.length(60));
    return splice(bytes, from, from, Buffer.concat(Array.from({ length: 1 + random.length(50) }, () => piece)));
  },
  function putText(bytes, random) {
    const at = random.below(bytes.length + 1);
    return splice(bytes, at, at, Buffer.from(hostileText(random)));
  },
  function putBytes(bytes, random) {
    const at = random.below(bytes.length + 1);
    return splice(bytes, at, at, random.bytes(random.length(64)));
  },
  function swapLines(bytes, random) {
    const lines = bytes.toString('latin1').split('\r\n');
    const [one, other] = [random.below(lines.length), random.below(lines.length)];
    [lines[one], lines[other]] = [lines[other]!, lines[one]!];
    return Buffer.from(lines.join('\r\n'), 'latin1');
  },
  function doubleLine(bytes, random) {
    const lines = bytes.toString('latin1').split('\r\n');
    const at = random.below(lines.length);
    lines.splice(at, 0, lines[at]!);
    return Buffer.from(lines.join('\r\n'), 'latin1');
  },
];
