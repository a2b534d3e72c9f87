import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes decoded between two turns of the event loop: the catalogue's lock must stay fresh. */
const PIECE_BYTES = 32 * 1024 * 1024;

/** Decodes a feed that is one text, without its byte order mark. Invalid UTF-8 becomes U+FFFD. */
export function feedText(bytes: Buffer): string {
  return new TextDecoder('utf-8').decode(bytes);
}

/**
 * Returns the physical lines of a feed, without its byte order mark. Decodes piece by piece, since the whole may exceed
 * the max length of a string.
 *
 * @param pieceBytes approximate size of a piece, which ends with a line
 */
export async function feedLines(bytes: Buffer, pieceBytes = PIECE_BYTES): Promise<string[]> {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = pieceEnd(bytes, from + pieceBytes);
    const piece = new TextDecoder('utf-8', { ignoreBOM: from > 0 }).decode(bytes.subarray(from, end));
    for (const line of splitLines(piece)) lines.push(line);
    from = end;
    await nextTurn();
  }
  return lines;
}

/** Returns the offset behind the line that contains a byte. */
function pieceEnd(bytes: Buffer, at: number): number {
  return at >= bytes.length ? bytes.length : lineEnd(bytes, at);
}

/** Returns the numbers of lines that are not UTF-8, so that only those are at fault. */
export async function linesNotUtf8(bytes: Buffer): Promise<ReadonlySet<number>> {
  return isUtf8(bytes) ? new Set() : badLines(bytes);
}

/** Lines checked between two turns of the event loop. */
const LINES_AT_ONCE = 10_000;

async function badLines(bytes: Buffer): Promise<Set<number>> {
  const bad = new Set<number>();
  let from = 0;
  for (let line = 1; from < bytes.length; line++) {
    if (line % LINES_AT_ONCE === 0) await nextTurn();
    const end = lineEnd(bytes, from);
    if (!isUtf8(bytes.subarray(from, end))) bad.add(line);
    from = end;
  }
  return bad;
}

/**
 * Returns the offset behind the next line break: CR, LF or CRLF, as in `splitLines`. None occurs inside a UTF-8
 * sequence.
 */
function lineEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === 10) return at + 1;
    if (bytes[at] === 13) return bytes[at + 1] === 10 ? at + 2 : at + 1;
  }
  return bytes.length;
}

/**
 * Returns the physical lines of a text, with any kind of line break. A line break at the end starts no further line.
 */
function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Counts line breaks, to report an offset as a line. */
export function countBreaks(text: string, from: number, to: number): number {
  let breaks = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) breaks++;
  }
  return breaks;
}
