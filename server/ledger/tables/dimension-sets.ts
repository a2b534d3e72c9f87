import type { Claims } from '../../domain/claims.js';
import { DETAILS, type Detail } from './roll-ups.js';

/** The publisher, advertiser, campaign and creative of a decision or event; null: none, or not known. */
export interface DimensionSet {
  readonly publisher: string | null;
  readonly advertiser: string | null;
  readonly campaign: string | null;
  readonly creative: string | null;
  readonly test: boolean;
}

/** Returns the dimensions that a request id carries; all null without a request id. */
export function dimensionSetOf(claims: Claims | null): DimensionSet {
  if (claims === null) return { publisher: null, advertiser: null, campaign: null, creative: null, test: false };
  const { publisher, advertiser, campaign, creative, test } = claims;
  return { publisher, advertiser, campaign, creative, test };
}

/** A dimension set's id at each detail. */
export type IdsByDetail = Readonly<Record<Detail, number>>;

/** A dimension set's names and whether it is test traffic, in the order of the table's columns. */
export type NameRow = readonly [
  publisher: string,
  advertiser: string,
  campaign: string,
  creative: string,
  test: number,
];

/** Each takes about 230 bytes. */
const MAX_KNOWN = 100_000;

/** Finds the ids by which other tables refer to dimension sets, and gives a new set a new id. */
export interface DimensionSetIds {
  of(set: DimensionSet): IdsByDetail;
  /** Looks up the ids of many sets at once and remembers them. */
  learn(sets: Iterable<DimensionSet>): void;
  /** Forgets all ids: a rollback also undoes the ids that its transaction gave. */
  forget(): void;
}

/** @param idsOf returns an id for each row and creates missing ones; rows may be equal */
export function createDimensionSetIds(idsOf: (rows: readonly NameRow[]) => readonly number[]): DimensionSetIds {
  const known = new Map<string, IdsByDetail>();

  const learn = (sets: Iterable<DimensionSet>): void => {
    // Those of creatives that left long ago would be kept for ever.
    if (known.size >= MAX_KNOWN) known.clear();
    const unknown = new Map([...sets].map((set) => [keyOf(set), set]));
    for (const key of unknown.keys()) if (known.has(key)) unknown.delete(key);
    if (unknown.size === 0) return;
    const rows = [...unknown.values()].flatMap((set) => ALL_DETAILS.map((detail) => namesOf(reducedTo(set, detail))));
    const ids = idsOf(rows);
    for (const [position, key] of [...unknown.keys()].entries()) {
      const of = ALL_DETAILS.map((detail, at) => [detail, ids[position * ALL_DETAILS.length + at]]);
      known.set(key, Object.fromEntries(of) as IdsByDetail);
    }
  };
  return {
    learn,
    of(set) {
      const ids = known.get(keyOf(set));
      if (ids !== undefined) return ids;
      learn([set]);
      return known.get(keyOf(set))!;
    },
    forget: () => known.clear(),
  };
}

const ALL_DETAILS = Object.keys(DETAILS) as Detail[];

function keyOf({ publisher, advertiser, campaign, creative, test }: DimensionSet): string {
  return JSON.stringify([publisher, advertiser, campaign, creative, test]);
}

/**
 * Returns the names as they are stored. A lone surrogate becomes U+FFFD in both stores, and would not be found again.
 */
function namesOf({ publisher, advertiser, campaign, creative, test }: DimensionSet): NameRow {
  const stored = (name: string | null): string => (name ?? '').toWellFormed();
  return [stored(publisher), stored(advertiser), stored(campaign), stored(creative), test ? 1 : 0];
}

/** Returns a dimension set with only the names of this detail. All details keep test traffic apart. */
function reducedTo(set: DimensionSet, detail: Detail): DimensionSet {
  const kept: Partial<Record<keyof DimensionSet, string | null>> = {};
  for (const name of DETAILS[detail]) kept[name] = set[name];
  return { publisher: null, advertiser: null, campaign: null, creative: null, ...kept, test: set.test };
}
