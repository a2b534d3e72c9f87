import type { CatalogueSearch, SearchFilter, VectorRows } from '../index/catalogue-search.js';
import { dot, type Neighbour } from '../index/vector-index.js';
import type { DecisionModel } from './decision-model.js';
import type { SharedWords } from './shared-words.js';

/** A catalogue, as ranking needs it. */
export interface Catalogue {
  readonly search: CatalogueSearch;
  readonly words: SharedWords;
}

/** One creative in the order of relevance. */
export interface Candidate {
  readonly label: number;
  /** Cosine between query and creative. */
  readonly similarity: number;
  /** What shared rare words add. */
  readonly lexical: number;
  /** `similarity + lexical`: what the order goes by. Not a probability. */
  readonly relevance: number;
}

/** How many candidates a ranking has at most, beyond which the graph is not asked. */
export const DEPTH = 50;

/** A catalogue in the order of relevance to a query. */
export interface Ranking {
  /** At most 50, best first. */
  readonly candidates: readonly Candidate[];
  /** Their vectors. */
  readonly rows: VectorRows;
}

/**
 * Ranks a catalogue against a query: the nearest by vector together with those that share the rarest words, ordered by
 * both.
 *
 * @param text where shared words are looked for
 * @param filter what may be answered
 * @throws SearchUnavailableError
 */
export async function rank(
  { search, words }: Catalogue,
  query: Float32Array,
  text: string,
  { lexical }: DecisionModel,
  filter?: SearchFilter,
): Promise<Ranking> {
  const shared = lexical.weight === 0 ? new Map<number, number>() : words.scores(text);
  // Up to half of them may be among the nearest too.
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
      return { label, similarity, lexical: gain, relevance: similarity + gain };
    })
    .toSorted((a, b) => b.relevance - a.relevance || a.label - b.label)
    .slice(0, DEPTH);
  return { candidates, rows };
}

function strongest(shared: ReadonlyMap<number, number>, count: number, filter: SearchFilter | undefined): number[] {
  const found: number[] = [];
  for (const [label] of [...shared].toSorted(([labelA, a], [labelB, b]) => b - a || labelA - labelB)) {
    if (found.length === count) break;
    // A filter may cost more than the order of all.
    if (filter === undefined || filter.accept(label)) found.push(label);
  }
  return found;
}
