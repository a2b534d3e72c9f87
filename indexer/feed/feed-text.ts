import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A piece is decoded at once, and then others have their turn: the catalogue's lock must stay fresh. */
const PIECE_BYTES = 32 * 1024 * 1024;

/** Decodes a feed that is one text, without its byte order mark. What is not UTF-8 is read as U+FFFD. */
export function feedText(bytes: Buffer): string {
  return new TextDecoder('utf-8').decode(bytes);
}

/**
 * The physical lines of a feed, without its byte order mark, decoded piece by piece: all of it may be longer than a string can be.
 *
 * @param pieceBytes about how much is decoded at once; a piece ends with a line
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

/** Just behind the line that a byte lies in. */
function pieceEnd(bytes: Buffer, at: number): number {
  return at >= bytes.length ? bytes.length : lineEnd(bytes, at);
}

/** Lines whose bytes are not UTF-8, so that damage stays with them. */
export async function linesNotUtf8(bytes: Buffer): Promise<ReadonlySet<number>> {
  return isUtf8(bytes) ? new Set() : badLines(bytes);
}

/** How many lines are looked at between two turns. */
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

/** Just behind the line break; CR, LF and CRLF as in `splitLines`. None of them occurs inside a UTF-8 sequence. */
function lineEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === 10) return at + 1;
    if (bytes[at] === 13) return bytes[at + 1] === 10 ? at + 2 : at + 1;
  }
  return bytes.length;
}

/** The physical lines of a text, whichever way they end; a last line break opens no further line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Counts line breaks, so that an offset can be reported as a line. */
export function countBreaks(text: string, from: number, to: number): number {
  let breaks = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) breaks++;
  }
  return breaks;
}
