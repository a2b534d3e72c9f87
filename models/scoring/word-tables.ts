import {
  addFirst,
  firstIn,
  hashOf,
  type HashLists,
  newHashLists,
  nextIn,
} from '../../platform/collections/hash-lists.js';
import { isStringAt, type PackedStrings, packStrings } from '../../platform/collections/packed-strings.js';
import { inBatches } from '../../platform/time/in-batches.js';
import type { CountedWords } from './count-words.js';
import { commonWords } from './document-frequencies.js';
import { listPostings, type Postings } from './postings.js';
import { rarityIn } from './rarity.js';
import { prepareCorrections, type Spellings } from './spelling-corrections.js';
import { STOPWORDS } from './words-of.js';

/** What a word index consists of. Nearly all of it is typed arrays, which threads can share. */
export interface WordTables {
  /** Words by number. */
  readonly words: PackedStrings;
  /** Numbers of words by `hashOf`. */
  readonly numbers: HashLists;
  /** The creatives of each rare word; none for other words. */
  readonly postings: Postings;
  /** By label: the number of words. */
  readonly lengths: Uint32Array;
  /** The mean of `lengths`. */
  readonly average: number;
  /** By label: 1 if the words are English, else 0. */
  readonly english: Uint8Array;
  readonly spellings: Spellings;
}

/** Makes the tables of a catalogue whose words have been counted, in batches. */
export async function makeWordTables(counted: CountedWords): Promise<WordTables> {
  const { words, lengths, english } = counted;
  const rarity = rarityIn(lengths.length);
  const ordinary = new Set(STOPWORDS);
  const rare: string[] = [];
  const postings = await listPostings(counted, (word, matches) => {
    const isRare = !ordinary.has(word) && Math.max(...rarity(word, matches)) > 0;
    if (isRare) rare.push(word);
    else ordinary.add(word);
    return isRare;
  });
  const numbers = newHashLists(words.length);
  let number = 0;
  await inBatches(words, (word) => addFirst(numbers, hashOf(word, numbers.seed), number++));
  return {
    words: await packStrings(words),
    numbers,
    postings,
    lengths: Uint32Array.from(lengths.values()),
    average: counted.sequence.length / Math.max(1, lengths.length),
    english: Uint8Array.from(english.values()),
    spellings: await prepareCorrections(rare, new Set([...ordinary, ...commonWords()])),
  };
}

/** Where the postings of a rare word are; null: no creative has the word, or it is not rare. */
export function postingsOf(
  { words, numbers, postings: { starts } }: WordTables,
  word: string,
): { readonly from: number; readonly to: number } | null {
  let number = firstIn(numbers, hashOf(word, numbers.seed));
  while (number >= 0 && !isStringAt(words, number, word)) number = nextIn(numbers, number);
  if (number < 0) return null;
  const [from, to] = [starts[number]!, starts[number + 1]!];
  return from === to ? null : { from, to };
}
