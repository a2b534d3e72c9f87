import { isUtf8 } from 'node:buffer';

/** A feed's text without its byte order mark, and the lines whose bytes are not UTF-8 (read as U+FFFD). */
export interface DecodedFeed {
  readonly text: string;
  readonly badLines: ReadonlySet<number>;
}

/** Decodes a feed such that damage stays with the lines that have it. */
export function decodeFeed(bytes: Buffer): DecodedFeed {
  const text = new TextDecoder('utf-8').decode(bytes);
  return { text, badLines: isUtf8(bytes) ? new Set() : badLines(bytes) };
}

function badLines(bytes: Buffer): Set<number> {
  const bad = new Set<number>();
  let from = 0;
  for (let line = 1; from < bytes.length; line++) {
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
