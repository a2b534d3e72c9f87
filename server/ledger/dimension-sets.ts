import type { DimensionSet } from './batch.js';
import type { IdsByDetail } from './batch-totals.js';
import { reducedTo, DETAILS, type Detail } from './roll-ups.js';
import type { Statements } from './statements.js';

/** The numbers by which other tables name placements; a new one is given where there is none. */
export interface DimensionSetIds {
  of(placement: DimensionSet): IdsByDetail;
  /** Numbers given within a transaction that was rolled back are gone with it. */
  forget(): void;
}

export function createDimensionSetIds({
  addPlacement,
  findPlacement,
}: Pick<Statements, 'addPlacement' | 'findPlacement'>): DimensionSetIds {
  const known = new Map<string, IdsByDetail>();

  const idOf = ({ publisher, advertiser, campaign, creative, test }: DimensionSet): number => {
    const names = [publisher ?? '', advertiser ?? '', campaign ?? '', creative ?? '', test ? 1 : 0];
    addPlacement.run(...names);
    return (findPlacement.get(...names) as { placement: number }).placement;
  };
  return {
    of(placement) {
      const { publisher, advertiser, campaign, creative, test } = placement;
      const key = JSON.stringify([publisher, advertiser, campaign, creative, test]);
      let numbers = known.get(key);
      if (numbers === undefined) {
        const details = Object.keys(DETAILS) as Detail[];
        numbers = Object.fromEntries(
          details.map((detail) => [detail, idOf(reducedTo(placement, detail))]),
        ) as IdsByDetail;
        known.set(key, numbers);
      }
      return numbers;
    },
    forget: () => known.clear(),
  };
}
