import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldLetters } from '../text/fold-letters.js';
import { singular } from '../text/singular.js';
import { createSpellingCorrections, effortForText } from './spelling-corrections.js';
import { commonWords, isKnownEnglishWord, usesEnglishWords, documentFrequency } from './document-frequencies.js';

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
// Words in more than about one creative in thirty (in a small catalogue: one ad in thirty anywhere) add nothing to the
// vectors, so only rarer words count.
const MIN_IDF = 3.5;
const MIN_IDF_SHARE = 0.85;
/**
 * How many creatives' worth of evidence is a word's document frequency in other ads, beside the catalogue's own.
 * Without it fifteen creatives say nothing about which of their words are rare: "hedge" and "our" may be in one each.
 */
const USUAL_CREATIVES = 1000;
/**
 * Max matches (creatives that share a word) to score, rarest words first: some three milliseconds. In catalogues of
 * fewer than 20,000 creatives a rare word has at most 700 matches, so only texts with about thirty such words reach the
 * limit.
 */
const MAX_SHARED = 20_000;
/** Characters between two turns of the event loop: some 25 ms for Chinese, which has to be segmented. */
const CHARACTERS_AT_ONCE = 10_000;
const WORDS_AT_ONCE = 20_000;

/**
 * Builds an inverted index of the rare words of a catalogue (brands, model numbers, places), which an encoder
 * represents only vaguely. How rare a word of an English creative is, is estimated from the catalogue and from other
 * texts (`documentFrequency`); for other languages only the catalogue is used. A word that no creative has counts as
 * the rare words that it may be a misspelling of, unless it is a usual English word. Works in batches, so that the
 * event loop is never blocked for long.
 *
 * @param texts by label; made one by one as they are read
 */
export async function buildWordIndex(texts: Iterable<string>): Promise<WordIndex> {
  /** By word: alternating label and count of each creative that has it. Objects would take three times the memory. */
  const postings = new Map<string, number[]>();
  /** By label: the number of words, and whether they are English. */
  const lengths: number[] = [];
  const isEnglish: boolean[] = [];
  let characters = 0;
  for (const text of texts) {
    const label = lengths.length;
    characters += text.length;
    if (characters > CHARACTERS_AT_ONCE) {
      characters = 0;
      await nextTurn();
    }
    const words = wordsOf(text);
    lengths.push(words.length);
    isEnglish.push(usesEnglishWords(words));
    for (const [word, count] of tally(words)) {
      const list = postings.get(word);
      if (list === undefined) postings.set(word, [label, count]);
      else list.push(label, count);
    }
  }
  const size = lengths.length;
  const average = lengths.reduce((total, length) => total + length, 0) / Math.max(1, size);
  const idfInCatalogue = catalogueIdf(size);
  /** Returns the idf of a word in creatives of other languages, and in English ones. Not above 0: an ordinary word. */
  const idfs = (word: string, matches: number): readonly [number, number] => [
    idfInCatalogue(matches),
    idfOf((matches + USUAL_CREATIVES * documentFrequency(word)) / (size + USUAL_CREATIVES)),
  ];
  const ordinary = new Set(STOPWORDS);
  let seen = 0;
  for (const [word, list] of postings) {
    if (++seen % WORDS_AT_ONCE === 0) await nextTurn();
    if (Math.max(...idfs(word, sharing(list))) <= 0) ordinary.add(word);
  }
  for (const word of ordinary) postings.delete(word);
  const corrections = await createSpellingCorrections(postings.keys(), new Set([...ordinary, ...commonWords()]));

  return {
    find(text) {
      const scores = new Map<number, number>();
      const textWords = [...new Set(wordsOf(text))];
      const effort = effortForText();
      // The newest words first, for which the effort should suffice.
      const corrected = textWords
        .toReversed()
        .filter((word) => !postings.has(word) && !isKnownEnglishWord(word))
        .flatMap((word) => corrections(word, effort));
      const found = [...new Set([...textWords, ...corrected])].flatMap((word) => {
        const list = postings.get(word);
        return list === undefined ? [] : [{ list, weights: idfs(word, sharing(list)) }];
      });
      let shared = 0;
      for (const { list, weights } of found.toSorted((one, other) => one.list.length - other.list.length)) {
        shared += sharing(list);
        if (shared > MAX_SHARED) break;
        for (let at = 0; at < list.length; at += 2) {
          const [label, count] = [list[at]!, list[at + 1]!];
          const weight = weights[isEnglish[label] ? 1 : 0];
          if (weight <= 0) continue;
          const norm = K1 * (1 - B + (B * lengths[label]!) / average);
          scores.set(label, (scores.get(label) ?? 0) + (weight * count * (K1 + 1)) / (count + norm));
        }
      }
      return { scores, rarity: textWords.reduce((sum, word) => sum + Math.max(0, idfOf(documentFrequency(word))), 0) };
    },
  };
}

/** In a catalogue of fewer than about a hundred creatives, words of a single creative still count a little. */
function catalogueIdf(creatives: number): (matches: number) => number {
  const full = (matches: number): number => Math.log(1 + (creatives - matches + 0.5) / (matches + 0.5));
  const least = Math.min(MIN_IDF, MIN_IDF_SHARE * full(1));
  return (matches) => full(matches) - least;
}

/** Returns by how much a word in this share of the creatives, in (0, 1], is rarer than an ordinary word. */
const idfOf = (share: number): number => -Math.log(share) - MIN_IDF;

/** Returns the number of creatives in a word's list. */
const sharing = (list: readonly number[]): number => list.length / 2;

function tally(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Words that say nothing about a text's topic. */
const STOPWORDS: ReadonlySet<string> = new Set(
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
