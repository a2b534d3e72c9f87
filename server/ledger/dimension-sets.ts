import type { Claims } from '../domain/claims.js';
import { DETAILS, type Detail } from './roll-ups.js';
import type { Statements } from './statements.js';

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

/** The ids by which other tables refer to dimension sets; a new set gets a new id. */
export interface DimensionSetIds {
  of(set: DimensionSet): IdsByDetail;
  /** Ids given within a transaction that was rolled back are gone with it. */
  forget(): void;
}

export function createDimensionSetIds({
  addDimensionSet,
  findDimensionSet,
}: Pick<Statements, 'addDimensionSet' | 'findDimensionSet'>): DimensionSetIds {
  const known = new Map<string, IdsByDetail>();

  const idOf = ({ publisher, advertiser, campaign, creative, test }: DimensionSet): number => {
    const names = [publisher ?? '', advertiser ?? '', campaign ?? '', creative ?? '', test ? 1 : 0];
    addDimensionSet.run(...names);
    return (findDimensionSet.get(...names) as { dimension_set: number }).dimension_set;
  };
  return {
    of(set) {
      const { publisher, advertiser, campaign, creative, test } = set;
      const key = JSON.stringify([publisher, advertiser, campaign, creative, test]);
      let ids = known.get(key);
      if (ids === undefined) {
        const details = Object.keys(DETAILS) as Detail[];
        ids = Object.fromEntries(details.map((detail) => [detail, idOf(reducedTo(set, detail))])) as IdsByDetail;
        known.set(key, ids);
      }
      return ids;
    },
    forget: () => known.clear(),
  };
}

/** A dimension set with the names of this detail alone. Tests are kept apart in all of them. */
function reducedTo(set: DimensionSet, detail: Detail): DimensionSet {
  const kept: Partial<Record<keyof DimensionSet, string | null>> = {};
  for (const name of DETAILS[detail]) kept[name] = set[name];
  return { publisher: null, advertiser: null, campaign: null, creative: null, ...kept, test: set.test };
}
