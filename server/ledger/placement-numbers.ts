import type { Placement } from './batch.js';
import type { Numbers } from './cells.js';
import { coarsened, DETAILS, type Detail } from './roll-ups.js';
import type { Statements } from './statements.js';

/** The numbers by which other tables name placements; a new one is given where there is none. */
export interface PlacementNumbers {
  of(placement: Placement): Numbers;
  /** Numbers given within a transaction that was rolled back are gone with it. */
  forget(): void;
}

export function createPlacementNumbers({
  addPlacement,
  findPlacement,
}: Pick<Statements, 'addPlacement' | 'findPlacement'>): PlacementNumbers {
  const known = new Map<string, Numbers>();

  const numberOf = ({ publisher, advertiser, campaign, creative, test }: Placement): number => {
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
          details.map((detail) => [detail, numberOf(coarsened(placement, detail))]),
        ) as Numbers;
        known.set(key, numbers);
      }
      return numbers;
    },
    forget: () => known.clear(),
  };
}
