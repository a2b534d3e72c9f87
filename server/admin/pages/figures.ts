import { format } from '../view/format.js';
import type { Measures } from '../../reports/measures.js';

/** A headline number, how it changed and whether that is good. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly change: string | null;
  readonly trend: 'better' | 'worse' | 'same';
}

/** The headline numbers of a period beside the period before; null: nothing to compare with. */
export function figuresOf(now: Measures, before: Measures | null, currency: string): readonly Figure[] {
  const number = (value: bigint | number | null): number => Number(value ?? 0);
  const figureFor = (
    name: string,
    value: string,
    pick: (measures: Measures) => bigint | number | null,
    unit = '',
  ): Figure => {
    const [one, other] = [number(pick(now)), before === null ? 0 : number(pick(before))];
    const change = format.change(one, other);
    return {
      name,
      value,
      unit,
      change,
      trend: change === null || one === other ? 'same' : one > other ? 'better' : 'worse',
    };
  };
  return [
    figureFor('Spend', format.roundMoney(now.spendMicros), ({ spendMicros }) => spendMicros, currency),
    figureFor('Impressions', format.short(now.impressions), ({ impressions }) => impressions),
    figureFor('Clicks', format.short(now.clicks), ({ clicks }) => clicks),
    figureFor('CTR', format.percent(now.ctr), ({ ctr }) => ctr),
    figureFor('eCPM', format.roundMoney(now.ecpmMicros), ({ ecpmMicros }) => ecpmMicros, currency),
    figureFor('Fill rate', format.percent(now.fillRate, 1), ({ fillRate }) => fillRate),
  ];
}
