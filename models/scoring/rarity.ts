import { documentFrequency } from './document-frequencies.js';

// Words in more than about one creative in thirty (in a small catalogue: one ad in thirty anywhere) add nothing to the
// vectors, so only rarer words count.
const MIN_IDF = 3.5;
const MIN_IDF_SHARE = 0.85;
/**
 * How many creatives' worth of evidence is a word's document frequency in other ads, beside the catalogue's own.
 * Without it fifteen creatives say nothing about which of their words are rare: "hedge" and "our" may be in one each.
 */
const USUAL_CREATIVES = 1000;

/** The idf of a word in creatives of other languages, and in English ones. Not above 0: an ordinary word. */
export type Rarity = readonly [other: number, english: number];

/**
 * Returns a function from a word, and the number of creatives that have it, to how rare it is.
 *
 * @param size number of creatives in the catalogue
 */
export function rarityIn(size: number): (word: string, matches: number) => Rarity {
  const idfInCatalogue = catalogueIdf(size);
  return (word, matches) => [
    idfInCatalogue(matches),
    idfOf((matches + USUAL_CREATIVES * documentFrequency(word)) / (size + USUAL_CREATIVES)),
  ];
}

/** Returns how rare a word is in English texts anywhere: at least 0. */
export function usualRarity(word: string): number {
  return Math.max(0, idfOf(documentFrequency(word)));
}

/** In a catalogue of fewer than about a hundred creatives, words of a single creative still count a little. */
function catalogueIdf(creatives: number): (matches: number) => number {
  const full = (matches: number): number => Math.log(1 + (creatives - matches + 0.5) / (matches + 0.5));
  const least = Math.min(MIN_IDF, MIN_IDF_SHARE * full(1));
  return (matches) => full(matches) - least;
}

/** Returns by how much a word in this share of the creatives, in (0, 1], is rarer than an ordinary word. */
const idfOf = (share: number): number => -Math.log(share) - MIN_IDF;
