import type { DimensionSet } from './batch.js';
import type { IdsByDetail } from './batch-totals.js';
import { reducedTo, DETAILS, type Detail } from './roll-ups.js';
import type { Statements } from './statements.js';

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
