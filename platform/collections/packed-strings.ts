import { inBatches } from '../time/in-batches.js';

/**
 * Strings one after another in two typed arrays, which can be moved to another thread. A million strings of their own
 * would take three times the memory, and be gone through by the garbage collector.
 */
export interface PackedStrings {
  /** UTF-16 code units. */
  readonly letters: Uint16Array;
  /** Where each string begins; one more than there are strings. */
  readonly starts: Uint32Array;
}

/** Packs strings, in batches. */
export async function packStrings(strings: readonly string[]): Promise<PackedStrings> {
  const starts = new Uint32Array(strings.length + 1);
  let packed = 0;
  await inBatches(strings, (string) => {
    starts[++packed] = starts[packed - 1]! + string.length;
  });
  const letters = new Uint16Array(starts.at(-1)!);
  let at = 0;
  await inBatches(strings, (string) => {
    for (let letter = 0; letter < string.length; letter++) letters[at++] = string.charCodeAt(letter);
  });
  return { letters, starts };
}

/** @param number position of the string */
export function stringAt({ letters, starts }: PackedStrings, number: number): string {
  return String.fromCharCode(...letters.subarray(starts[number], starts[number + 1]));
}

/** Returns whether a packed string equals this one. */
export function isStringAt({ letters, starts }: PackedStrings, number: number, string: string): boolean {
  const start = starts[number]!;
  if (starts[number + 1]! - start !== string.length) return false;
  for (let at = 0; at < string.length; at++) if (letters[start + at] !== string.charCodeAt(at)) return false;
  return true;
}
