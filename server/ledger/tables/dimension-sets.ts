import type { Claims } from '../../domain/claims.js';
import { DETAILS, type Detail } from './roll-ups.js';

/** Who showed what for whom; null: none, or not known. */
export interface DimensionSet {
  readonly publisher: string | null;
  readonly advertiser: string | null;
  readonly campaign: string | null;
  readonly creative: string | null;
  readonly test: boolean;
}

/** The dimensions that a request id carries; all null where there was none. */
export function dimensionSetOf(claims: Claims | null): DimensionSet {
  if (claims === null) return { publisher: null, advertiser: null, campaign: null, creative: null, test: false };
  const { publisher, advertiser, campaign, creative, test } = claims;
  return { publisher, advertiser, campaign, creative, test };
}

/** A dimension set's id at each detail. */
export type IdsByDetail = Readonly<Record<Detail, number>>;

/** Its names and whether it is test traffic, in the order of the table's columns. */
export type NameRow = readonly [
  publisher: string,
  advertiser: string,
  campaign: string,
  creative: string,
  test: number,
];

/** The ids by which other tables refer to dimension sets; a new set gets a new id. */
export interface DimensionSetIds {
  of(set: DimensionSet): IdsByDetail;
  /** Looks up many at once. */
  learn(sets: Iterable<DimensionSet>): void;
  /** Ids given within a transaction that was rolled back are gone with it. */
  forget(): void;
}

/** @param idsOf an id for each row, made where there is none; rows may be equal */
export function createDimensionSetIds(idsOf: (rows: readonly NameRow[]) => readonly number[]): DimensionSetIds {
  const known = new Map<string, IdsByDetail>();

  const learn = (sets: Iterable<DimensionSet>): void => {
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

/** As they are stored: half of a character becomes U+FFFD in either store, and would not be found again. */
function namesOf({ publisher, advertiser, campaign, creative, test }: DimensionSet): NameRow {
  const stored = (name: string | null): string => (name ?? '').toWellFormed();
  return [stored(publisher), stored(advertiser), stored(campaign), stored(creative), test ? 1 : 0];
}

/** A dimension set with the names of this detail alone. Tests are kept apart in all of them. */
function reducedTo(set: DimensionSet, detail: Detail): DimensionSet {
  const kept: Partial<Record<keyof DimensionSet, string | null>> = {};
  for (const name of DETAILS[detail]) kept[name] = set[name];
  return { publisher: null, advertiser: null, campaign: null, creative: null, ...kept, test: set.test };
}
