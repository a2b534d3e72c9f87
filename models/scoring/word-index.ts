import { buildWordTables, buildWordTablesInThread } from './build-word-tables.js';
import { isKnownEnglishWord } from './document-frequencies.js';
import { rarityIn, usualRarity } from './rarity.js';
import { correctionsOf, effortForText } from './spelling-corrections.js';
import { postingsOf, type WordTables } from './word-tables.js';
import { wordsOf } from './words-of.js';

/** Index of the rare words that a text shares with each creative. */
export interface WordIndex {
  /** Finds the creatives that share rare words with a text. In a large catalogue only the rarest words count. */
  find(text: string): WordMatches;
}

/** What a text shares with a catalogue. */
export interface WordMatches {
  /** BM25 by label, for creatives that share a rare word. */
  readonly scores: ReadonlyMap<number, number>;
  /** The sum of the usual idf of all rare words of the text, shared or not: about what there is to share. */
  readonly rarity: number;
}

// Robertson and Zaragoza (2009), with the customary constants.
const K1 = 1.2;
const B = 0.75;
/**
 * Max matches (creatives that share a word) to score, rarest words first: some three milliseconds. In catalogues of
 * fewer than 20,000 creatives a rare word has at most 700 matches, so only texts with about thirty such words reach the
 * limit.
 */
const MAX_SHARED = 20_000;

export interface WordIndexOptions {
  /**
   * Whether a thread of its own builds the index, which takes some 50 ms more: for large catalogues, since it takes 30
   * s for a million. Default: the event loop, in batches.
   */
  readonly inThread?: boolean;
}

/**
 * Builds an inverted index of the rare words of a catalogue (brands, model numbers, places), which an encoder
 * represents only vaguely. How rare a word of an English creative is, is estimated from the catalogue and from other
 * texts (`documentFrequency`); for other languages only the catalogue is used. A word that no creative has counts as
 * the rare words that it may be a misspelling of, unless it is a usual English word. The event loop is never blocked
 * for long.
 *
 * @param texts by label; made one by one as they are read
 * @throws Error if the thread ends
 */
export async function buildWordIndex(
  texts: Iterable<string>,
  { inThread = false }: WordIndexOptions = {},
): Promise<WordIndex> {
  const tables = await (inThread ? buildWordTablesInThread : buildWordTables)(texts);
  return { find: finderIn(tables) };
}

function finderIn(tables: WordTables): WordIndex['find'] {
  const { lengths, average, english, spellings } = tables;
  const { labels, counts } = tables.postings;
  const rarity = rarityIn(lengths.length);
  return (text) => {
    const scores = new Map<number, number>();
    const textWords = [...new Set(wordsOf(text))];
    const effort = effortForText();
    // The newest words first, for which the effort should suffice.
    const corrected = textWords
      .toReversed()
      .filter((word) => postingsOf(tables, word) === null && !isKnownEnglishWord(word))
      .flatMap((word) => correctionsOf(spellings, word, effort));
    const found = [...new Set([...textWords, ...corrected])].flatMap((word) => {
      const own = postingsOf(tables, word);
      return own === null ? [] : [{ ...own, matches: own.to - own.from, weights: rarity(word, own.to - own.from) }];
    });
    let shared = 0;
    for (const { from, to, matches, weights } of found.toSorted((one, other) => one.matches - other.matches)) {
      shared += matches;
      if (shared > MAX_SHARED) break;
      for (let at = from; at < to; at++) {
        const [label, count] = [labels[at]!, counts[at]!];
        const weight = weights[english[label] === 1 ? 1 : 0];
        if (weight <= 0) continue;
        const norm = K1 * (1 - B + (B * lengths[label]!) / average);
        scores.set(label, (scores.get(label) ?? 0) + (weight * count * (K1 + 1)) / (count + norm));
      }
    }
    return { scores, rarity: textWords.reduce((sum, word) => sum + usualRarity(word), 0) };
  };
}
