import type { CatalogueSearch, SearchFilter, VectorRows } from '../index/catalogue-search.js';
import { dot, type Neighbour } from '../index/vector-index.js';
import type { DecisionModel } from './decision-model.js';
import type { WordIndex, WordMatches } from './word-index.js';

/** What ranking needs of a catalogue. */
export interface Catalogue {
  readonly search: CatalogueSearch;
  readonly words: WordIndex;
}

/** One creative of a ranking. */
export interface Candidate {
  readonly label: number;
  /** Cosine between query and creative. */
  readonly similarity: number;
  /** Gain from shared rare words. */
  readonly lexical: number;
  /** `similarity + lexical`, by which candidates are ordered. Not a probability. */
  readonly relevance: number;
  /** How much of the text's rare words the creative shares, from 0 (none) to about 1. 0 if the model ignores words. */
  readonly overlap: number;
}

/** Max candidates in a ranking, and the number of nearest creatives that the search fetches. */
export const DEPTH = 50;

const NOTHING_SHARED: WordMatches = { scores: new Map(), rarity: 0 };
// About the rarity of two rare words: a text with a single one shares less than all it says if it shares that one.
const USUAL_RARITY = 10;

/** The creatives of a catalogue that are most relevant to a query. */
export interface Ranking {
  /** At most 50, best first. */
  readonly candidates: readonly Candidate[];
  /** Their vectors. */
  readonly rows: VectorRows;
}

/**
 * Ranks a catalogue against a query: takes the nearest creatives by vector and those that share the rarest words, and
 * orders them by both.
 *
 * @param text in which shared words are looked up
 * @param filter the creatives that may be served
 * @throws SearchUnavailableError
 */
export async function rank(
  { search, words }: Catalogue,
  query: Float32Array,
  text: string,
  { lexical }: DecisionModel,
  filter?: SearchFilter,
): Promise<Ranking> {
  const { scores: shared, rarity } = lexical.weight === 0 ? NOTHING_SHARED : words.find(text);
  // Twice the depth, since up to half of them may also be among the nearest.
  const worded = strongest(shared, 2 * DEPTH, filter);
  const found = search.nearest(query, DEPTH, worded, filter);
  const { near, rows } = found instanceof Promise ? await found : found;
  const known = new Set(near.map(({ label }) => label));
  const byWords = worded
    .filter((label) => !known.has(label))
    .slice(0, DEPTH)
    .map((label): Neighbour => ({ label, similarity: dot(rows.vectors, rows.from(label), query) }));
  const candidates = [...near, ...byWords]
    .map(({ label, similarity }): Candidate => {
      const bm25 = shared.get(label) ?? 0;
      const gain = (lexical.weight * bm25) / (bm25 + lexical.saturation);
      const overlap = bm25 / (rarity + USUAL_RARITY);
      return { label, similarity, lexical: gain, relevance: similarity + gain, overlap };
    })
    .toSorted((a, b) => b.relevance - a.relevance || a.label - b.label)
    .slice(0, DEPTH);
  return { candidates, rows };
}

function strongest(shared: ReadonlyMap<number, number>, count: number, filter: SearchFilter | undefined): number[] {
  const found: number[] = [];
  for (const label of strongestFirst(shared)) {
    if (found.length === count) break;
    // Filters after sorting, since a filter may cost more than sorting all.
    if (filter === undefined || filter.accept(label)) found.push(label);
  }
  return found;
}

/** How many are sorted first: 20,000 would take ten milliseconds and more, and usually the first hundred are enough. */
const SORTED_FIRST = 1000;

function* strongestFirst(shared: ReadonlyMap<number, number>): Generator<number> {
  const scores = Float64Array.from(shared.values()).toSorted();
  const least = scores.at(-SORTED_FIRST) ?? -Infinity;
  yield* sorted(shared, (score) => score >= least);
  yield* sorted(shared, (score) => score < least);
}

function sorted(shared: ReadonlyMap<number, number>, isWanted: (score: number) => boolean): number[] {
  const wanted: (readonly [label: number, score: number])[] = [];
  for (const one of shared) if (isWanted(one[1])) wanted.push(one);
  return wanted.toSorted(([labelA, a], [labelB, b]) => b - a || labelA - labelB).map(([label]) => label);
}
