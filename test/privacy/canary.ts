import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, constants, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';

/**
 * Returns a text that occurs nowhere else. It is lower-case, since words are compared in lower case, and has two words,
 * either of which is found: leaking half of a conversation would be as bad as all of it.
 */
export function makeCanary(): string {
  const word = (): string => Array.from({ length: 12 }, () => 'bcdfghjkmnpqrtvwxz'[randomInt(18)]).join('');
  return `${word()} ${word()}`;
}

/**
 * @returns the encodings in which the bytes contain the canary, such as `UTF-16LE` or `base64 in gzip`; empty if it is
 * absent
 */
export function spellingsOf(canary: string, bytes: Buffer, within = ''): string[] {
  const lowered = lowerCase(bytes);
  const found = canary
    .split(' ')
    .flatMap((word) => needles(word))
    .filter(({ needle, exact }) => (exact ? bytes : lowered).includes(needle))
    .map(({ spelling }) => spelling + within);
  // Streams nested within streams are not searched, to bound the effort.
  if (within !== '') return found;
  return [
    ...new Set([
      ...found,
      ...unpacked(bytes).flatMap(([name, content]) => spellingsOf(canary, content, ` in ${name}`)),
    ]),
  ];
}

/** Returns every file below these directories that contains the canary, with the encodings. */
export function filesWith(canary: string, ...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
      const file = path.join(folder, name);
      const inName = spellingsOf(canary, Buffer.from(name)).map((spelling) => `${name} (its name): ${spelling}`);
      // A file may disappear while the server runs; only regular files have contents.
      if (!(statSync(file, { throwIfNoEntry: false })?.isFile() ?? false)) return inName;
      return [...inName, ...spellingsOf(canary, readFileSync(file)).map((spelling) => `${name}: ${spelling}`)];
    }),
  );
}

interface Needle {
  readonly spelling: string;
  readonly needle: Buffer;
  /** Base64 is case-sensitive. */
  readonly exact: boolean;
}

function needles(word: string): Needle[] {
  const encodings = { 'UTF-8': Buffer.from(word), 'UTF-16LE': wide(word), 'UTF-16BE': wide(word).swap16() };
  const spelled = (spelling: string, needle: string | Buffer, exact = false): Needle => ({
    spelling,
    needle: Buffer.from(needle),
    exact,
  });
  return [
    ...Object.entries(encodings).map(([name, bytes]) => spelled(name, bytes)),
    ...Object.values(encodings).flatMap((bytes) => base64s(bytes).map((text) => spelled('base64', text, true))),
    ...Object.values(encodings).map((bytes) => spelled('hex', bytes.toString('hex'))),
    spelled('percent', [...Buffer.from(word)].map((byte) => `%${byte.toString(16)}`).join('')),
    spelled('JSON escapes', [...Buffer.from(word)].map((byte) => `\\u00${byte.toString(16)}`).join('')),
  ];
}

const wide = (word: string): Buffer => Buffer.from(word, 'utf16le');

/**
 * Returns the base64 forms of the bytes after zero, one or two others, without the characters that they share with
 * their neighbors.
 */
function base64s(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64url')
      .slice(Math.ceil((before * 4) / 3), -2);
    const plain = text.replaceAll('-', '+').replaceAll('_', '/');
    return text === plain ? [text] : [text, plain];
  });
}

function lowerCase(bytes: Buffer): Buffer {
  const lowered = Buffer.from(bytes);
  for (let at = 0; at < lowered.length; at++) if (lowered[at]! >= 65 && lowered[at]! <= 90) lowered[at]! += 32;
  return lowered;
}

/** Decompresses streams at any position of the bytes, including truncated ones. */
function unpacked(bytes: Buffer): [name: string, content: Buffer][] {
  const contents: [string, Buffer][] = [];
  const cutShort = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 50_000_000 };
  for (const [name, openings, unpack] of PACKED) {
    for (const opening of openings) {
      for (let at = bytes.indexOf(opening); at >= 0; at = bytes.indexOf(opening, at + 1)) {
        try {
          contents.push([name, unpack(bytes.subarray(at), cutShort)]);
        } catch {
          // Not a compressed stream.
        }
      }
    }
  }
  try {
    // Brotli has no signature, so only a whole file is tried.
    contents.push(['brotli', brotliDecompressSync(bytes, { maxOutputLength: 50_000_000 })]);
  } catch {
    // Not brotli.
  }
  return contents;
}

const PACKED = [
  // Skips the ten bytes of header, because gunzip itself fails on bytes after a stream.
  ['gzip', [Buffer.of(0x1f, 0x8b, 8)], (bytes, options) => inflateRawSync(bytes.subarray(10), options)],
  ['deflate', [Buffer.of(0x78, 0x01), Buffer.of(0x78, 0x9c), Buffer.of(0x78, 0xda)], inflateSync],
] as const satisfies readonly (readonly [string, readonly Buffer[], (bytes: Buffer, options: ZlibOptions) => Buffer])[];
