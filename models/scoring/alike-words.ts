import {
  addFirst,
  firstIn,
  hashOf,
  type HashLists,
  newHashLists,
  nextIn,
  lengthOf,
} from '../../platform/collections/hash-lists.js';
import { type PackedStrings, packStrings } from '../../platform/collections/packed-strings.js';
import { inBatches } from '../../platform/time/in-batches.js';

/**
 * Words grouped by their length and their first or last letters: a single typo leaves either unchanged. Slightly less
 * than half of the letters count, so that a swap in the middle leaves one side intact.
 */
export interface AlikeWords {
  readonly words: PackedStrings;
  /** By hash of length and letters: 2n for the first letters of word n, 2n + 1 for its last ones. */
  readonly groups: HashLists;
}

const SIDES = [0, 1] as const;
/** 0: the first letters; 1: the first one, and the last ones. */
type Side = (typeof SIDES)[number];

/** Groups words, in batches. */
export async function groupAlike(words: readonly string[]): Promise<AlikeWords> {
  const groups = newHashLists(2 * words.length);
  let left = words.length;
  // From the last to the first, so that each group is in the order of the words.
  await inBatches(words, () => {
    const word = words[--left]!;
    for (const side of SIDES) addFirst(groups, hashOfGroup(groups, word, word.length, side), 2 * left + side);
  });
  return { words: await packStrings(words), groups };
}

/** Returns how many words `alikeTo` looks at. */
export function countAlike({ groups }: AlikeWords, word: string): number {
  return groupsOf(groups, word).reduce((sum, { hash }) => sum + lengthOf(groups, hash), 0);
}

/** Returns the numbers of the words that may be one typo away; those with the same letters at both sides twice. */
export function alikeTo({ words, groups }: AlikeWords, word: string): number[] {
  const found: number[] = [];
  for (const { length, side, hash } of groupsOf(groups, word)) {
    for (let entry = firstIn(groups, hash); entry >= 0; entry = nextIn(groups, entry)) {
      if (entry % 2 === side && isInGroup(words, entry >>> 1, word, length, side)) found.push(entry >>> 1);
    }
  }
  return found;
}

/** Returns the groups of the words that may be one typo away. */
function groupsOf(groups: HashLists, word: string) {
  return [word.length - 1, word.length, word.length + 1].flatMap((length) =>
    SIDES.map((side) => ({ length, side, hash: hashOfGroup(groups, word, length, side) })),
  );
}

const lettersOf = (length: number): number => Math.floor((length - 1) / 2);

function hashOfGroup({ seed }: HashLists, word: string, length: number, side: Side): number {
  const letters = lettersOf(length);
  return side === 0
    ? hashOf(word, seed ^ length, 0, letters)
    : hashOf(word, seed ^ (word.charCodeAt(0) << 8) ^ length, word.length - letters);
}

/** Returns whether a word is in the group to which another would belong if it had this length. */
function isInGroup(words: PackedStrings, number: number, other: string, length: number, side: Side): boolean {
  const { letters, starts } = words;
  const [start, end] = [starts[number]!, starts[number + 1]!];
  if (end - start !== length || letters[start] !== other.charCodeAt(0)) return false;
  const count = lettersOf(length);
  const [from, otherFrom] = side === 0 ? [start, 0] : [end - count, other.length - count];
  for (let at = 0; at < count; at++) if (letters[from + at] !== other.charCodeAt(otherFrom + at)) return false;
  return true;
}
