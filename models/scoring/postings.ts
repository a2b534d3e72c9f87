import { inBatches } from '../../platform/time/in-batches.js';
import type { CountedWords } from './count-words.js';

/** By word number: the labels of the texts that have a word, and how often each has it. */
export interface Postings {
  /** Where in `labels` and `counts` a word's begin; one more than there are words. */
  readonly starts: Uint32Array;
  readonly labels: Uint32Array;
  readonly counts: Uint16Array;
}

const MAX_COUNT = 0xffff;

/**
 * Lists the texts of each word, in batches.
 *
 * @param isWanted the words whose texts are listed
 */
export async function listPostings(
  { words, matches, sequence, lengths }: CountedWords,
  isWanted: (word: string, matches: number) => boolean,
): Promise<Postings> {
  const starts = new Uint32Array(words.length + 1);
  let number = 0;
  await inBatches(words, (word) => {
    const count = matches.get(number);
    starts[number + 1] = starts[number]! + (isWanted(word, count) ? count : 0);
    number++;
  });
  const labels = new Uint32Array(starts.at(-1)!);
  const counts = new Uint16Array(labels.length);
  const ends = starts.slice();
  const add = (word: number, label: number): void => {
    const [start, end] = [starts[word]!, ends[word]!];
    if (start === starts[word + 1]) return;
    if (end > start && labels[end - 1] === label) {
      counts[end - 1] = Math.min(MAX_COUNT, counts[end - 1]! + 1);
    } else {
      labels[end] = label;
      counts[end] = 1;
      ends[word] = end + 1;
    }
  };
  // Words of this label that are left.
  let [label, left] = [-1, 0];
  await inBatches(sequence.values(), (word) => {
    while (left === 0) left = lengths.get(++label);
    left--;
    add(word, label);
  });
  return { starts, labels, counts };
}
