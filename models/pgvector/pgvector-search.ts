import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CatalogueSearch,
  type Neighbours,
  type Exclusions,
  OVERFETCH,
  type SearchFilter,
  type VectorRows,
  WIDE,
} from '../index/catalogue-search.js';
import type { StoredRows } from '../index/stored-rows.js';
import { dot } from '../index/vector-index.js';
import type { Pgvector } from './extension.js';
import type { QueryRunner } from './query-runner.js';
import { vectorBytes } from './vector-bytes.js';
import { isIndexed, tableOf, typeOf, type VectorPart } from './vector-table.js';

/** Min width of a graph search, as in memory: pgvector's `hnsw.ef_search`. */
export const SEARCH_WIDTH = 128;
/**
 * Max rows of an iterative scan. If it gives up, the creatives that the filter accepts are compared one by one,
 * provided that they are few.
 */
export const MAX_SCANNED = 20_000;
/** Max accepted creatives to compare one by one. More would take the database longer than a match waits. */
export const MAX_COMPARED = 5000;
/** Number of creatives that the filter tests between two turns of the event loop. */
const BATCH = 1000;

export interface PgvectorSearchOptions {
  readonly queries: QueryRunner;
  readonly pgvector: Pgvector;
  readonly part: Pick<VectorPart, 'snapshot' | 'part' | 'dims' | 'creatives'>;
  /** This node's copy of the vectors. Similarities are computed from it, as in memory. */
  readonly stored: StoredRows;
}

/** Search in a table written by `writeVectorTable`. */
export class PgvectorSearch implements CatalogueSearch {
  readonly size: number;
  readonly #options: PgvectorSearchOptions;
  readonly #table: string;
  /** SQL expression for the distance of a row to the query, which is the first parameter. */
  readonly #distance: string;

  constructor(options: PgvectorSearchOptions) {
    const { part, pgvector } = options;
    this.#options = options;
    this.size = part.creatives.length;
    this.#table = tableOf(part, pgvector);
    this.#distance = `embedding operator(${pgvector.schema}.<#>) $1::${pgvector.schema}.vector::${typeOf(pgvector, part.dims)}`;
  }

  rows(labels: readonly number[]): Promise<VectorRows> {
    return this.#options.stored.read(labels);
  }

  async nearest(query: Float32Array, k: number, also: readonly number[], filter?: SearchFilter): Promise<Neighbours> {
    const labels = await this.#labels(query, k, filter);
    const found = new Set(labels);
    const others = also.filter((label) => !found.has(label)).slice(0, k);
    const rows = await this.rows([...labels, ...others]);
    const near = labels
      .map((label) => ({ label, similarity: dot(rows.vectors, rows.from(label), query) }))
      .toSorted((a, b) => b.similarity - a.similarity || a.label - b.label);
    return { near, rows };
  }

  async #labels(query: Float32Array, k: number, filter: SearchFilter | undefined): Promise<readonly number[]> {
    const { iterative } = this.#options.pgvector;
    const vector = vectorBytes(query);
    const exclusions = filter?.exclusions?.() ?? null;
    let nearby: readonly number[] = [];
    for (const limit of this.#limits(k, filter !== undefined)) {
      const labels = await this.#nearby(vector, limit, exclusions);
      const accepted = filter === undefined ? labels : labels.filter((label) => filter.accept(label));
      if (!isIndexed(this.size)) return accepted.slice(0, k);
      // A scan that gave up may have skipped nearer rows as well.
      if (accepted.length >= k && (labels.length === limit || !iterative)) return accepted.slice(0, k);
      nearby = accepted;
    }
    return (await this.#exact(vector, k, filter)) ?? nearby.slice(0, k);
  }

  /** Returns the row limits of the successive graph searches, the next of which runs if the filter leaves too few. */
  #limits(k: number, filtered: boolean): readonly number[] {
    if (!isIndexed(this.size)) return [filtered ? this.size : k];
    const first = filtered ? k + OVERFETCH : k;
    // Without iterative scans the graph returns no more rows than the search width.
    return filtered && this.#options.pgvector.iterative ? [first, WIDE] : [first];
  }

  async #nearby(vector: Buffer, limit: number, exclusions: Exclusions | null): Promise<number[]> {
    const { conditions, values } = conditionsOf(exclusions, 3);
    // An iterative scan returns rows slightly out of order.
    const sql = `
      with near as materialized (
        select label, ${this.#distance} as distance from ${this.#table} ${conditions} order by distance limit $2
      ) select label from near order by distance, label`;
    return this.#ask(sql, [vector, limit, ...values]);
  }

  /** Compares with all creatives that the filter accepts, one by one. @returns null if there are too many */
  async #exact(vector: Buffer, k: number, filter: SearchFilter | undefined): Promise<readonly number[] | null> {
    const accepted: number[] = [];
    for (let label = 0; label < this.size; label++) {
      if (label % BATCH === BATCH - 1) await nextTurn();
      if (filter === undefined || filter.accept(label)) accepted.push(label);
      if (accepted.length > MAX_COMPARED) return null;
    }
    if (accepted.length <= k) return accepted;
    // The addition keeps the planner from using the graph, which would not return all of them.
    const sql = `select label from ${this.#table} where label = any($3::integer[])
      order by (${this.#distance}) + 0, label limit $2`;
    return this.#ask(sql, [vector, k, accepted]);
  }

  async #ask(sql: string, values: readonly unknown[]): Promise<number[]> {
    const rows = await this.#options.queries.run<{ label: number }>(sql, values);
    return rows.map(({ label }) => label);
  }
}

/** Builds the SQL conditions for exclusions. @param next number of the first free parameter */
function conditionsOf(exclusions: Exclusions | null, next: number) {
  if (exclusions === null) return { conditions: '', values: [] };
  const { categories, advertisers, languagesOtherThan, countriesOtherThan } = exclusions;
  const conditions: string[] = [];
  const values: unknown[] = [];
  const add = (value: readonly string[], condition: (parameter: string) => string): void => {
    conditions.push(condition(`$${next + values.length}::text[]`));
    values.push(value);
  };
  if (categories.length > 0) add(categories, (list) => `not categories && ${list}`);
  if (advertisers.length > 0) add(advertisers, (list) => `(advertiser is null or advertiser <> all(${list}))`);
  if (languagesOtherThan !== null) add(languagesOtherThan, (list) => `(language is null or language = any(${list}))`);
  if (countriesOtherThan === null) conditions.push('countries is null');
  else add([countriesOtherThan], (list) => `(countries is null or countries && ${list})`);
  return { conditions: `where ${conditions.join(' and ')}`, values };
}
