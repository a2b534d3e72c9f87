import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldLetters } from '../text/fold-letters.js';
import { createSpellingCorrections } from './spelling-corrections.js';

/** Index of the rare words that a text shares with each creative. */
export interface SharedWords {
  /** Computes BM25 by label, for creatives that share a rare word. In a large catalogue only the rarest words count. */
  scores(text: string): ReadonlyMap<number, number>;
}

// Robertson and Zaragoza (2009), with the customary constants.
const K1 = 1.2;
const B = 0.75;
// Words in more than about one creative in thirty add nothing to the vectors, so only rarer words count. In a catalogue
// of fewer than about a hundred creatives, words of a single creative still count.
const MIN_IDF = 3.5;
const MIN_IDF_SHARE = 0.85;
/**
 * Max matches (creatives that share a word) to score, rarest words first: some three milliseconds. In catalogues of
 * fewer than 20,000 creatives a rare word has at most 667 matches, so only texts with thirty such words reach the
 * limit.
 */
const MAX_SHARED = 20_000;
const BATCH = 200;
const WORDS_AT_ONCE = 20_000;

/**
 * Builds an inverted index of the rare words of a catalogue (brands, model numbers, places), which an encoder
 * represents only vaguely. A word that no creative has counts as the rare words that it may be a misspelling of. Works
 * in batches, so that the event loop is never blocked for long.
 *
 * @param texts by label
 */
export async function indexWords(texts: readonly string[]): Promise<SharedWords> {
  /** By word: alternating label and count of each creative that has it. Objects would take three times the memory. */
  const postings = new Map<string, number[]>();
  const lengths = new Float64Array(texts.length);
  for (const [label, text] of texts.entries()) {
    if (label % BATCH === BATCH - 1) await nextTurn();
    const words = wordsOf(text);
    lengths[label] = words.length;
    for (const [word, count] of tally(words)) {
      const list = postings.get(word);
      if (list === undefined) postings.set(word, [label, count]);
      else list.push(label, count);
    }
  }
  const average = lengths.reduce((total, length) => total + length, 0) / Math.max(1, texts.length);
  const fullIdf = (matches: number) => Math.log(1 + (texts.length - matches + 0.5) / (matches + 0.5));
  const least = Math.min(MIN_IDF, MIN_IDF_SHARE * fullIdf(1));
  const idf = (matches: number) => fullIdf(matches) - least;
  const ordinary = new Set(STOPWORDS);
  let seen = 0;
  for (const [word, list] of postings) {
    if (++seen % WORDS_AT_ONCE === 0) await nextTurn();
    if (idf(sharing(list)) <= 0) ordinary.add(word);
  }
  for (const word of ordinary) postings.delete(word);
  const corrections = await createSpellingCorrections([...postings.keys()], ordinary);

  return {
    scores(text) {
      const scores = new Map<number, number>();
      const textWords = wordsOf(text);
      const corrected = [...new Set(textWords)].filter((word) => !postings.has(word)).flatMap(corrections);
      const lists = [...new Set([...textWords, ...corrected])].flatMap((word) => {
        const list = postings.get(word);
        return list === undefined ? [] : [list];
      });
      let shared = 0;
      for (const list of lists.toSorted((one, other) => one.length - other.length)) {
        shared += sharing(list);
        if (shared > MAX_SHARED) break;
        const weight = idf(sharing(list));
        for (let at = 0; at < list.length; at += 2) {
          const [label, count] = [list[at]!, list[at + 1]!];
          const norm = K1 * (1 - B + (B * lengths[label]!) / average);
          scores.set(label, (scores.get(label) ?? 0) + (weight * count * (K1 + 1)) / (count + norm));
        }
      }
      return scores;
    },
  };
}

/** Returns the number of creatives in a word's list. */
const sharing = (list: readonly number[]): number => list.length / 2;

function tally(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Words that say nothing about a text's topic. */
export const STOPWORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be because been but by can could did do does doing done for from get go got had has have ' +
    'he her here hers him his how i if in into is it its just know let like ll make me more most my need new no not now of off ok okay on one ' +
    'only or our out over own please re really s she should so some t than thank thanks that the their them then there these they thing this ' +
    'those to too try up us use ve very want was way we well were what when where which while who why will with without would yes yeah you ' +
    'your user assistant hi hello hey help id im ive youd youll youre youve hes shes weve theyre theyve lets thats whats wheres theres heres ' +
    'arent cant couldnt didnt doesnt dont hadnt havent hasnt isnt shouldnt wasnt werent wont wouldnt'
  ).split(' '),
);

/**
 * Splits a text into lower-case words without accents, stop words and plural endings. Scripts without spaces are split
 * by dictionary.
 */
export function wordsOf(text: string): string[] {
  const bare = foldLetters(text.toLowerCase());
  const plain = bare.replaceAll('’', "'").replaceAll(/'s\b/g, '').replaceAll("'", '');
  const runs = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return (WITHOUT_SPACES.test(plain) ? runs.flatMap((run) => (WITHOUT_SPACES.test(run) ? segments(run) : [run])) : runs)
    .filter((word) => !STOPWORDS.has(word))
    .map(singular);
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

/** Returns words of at least two letters. Most shorter ones are particles or endings. */
function segments(run: string): string[] {
  return Array.from(segmenter.segment(run), ({ segment }) => segment).filter((word) => word.length > 1);
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /[sxz]es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && /[^siu]s$/.test(word) ? word.slice(0, -1) : word;
}
