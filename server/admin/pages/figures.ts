import { format } from '../rendering/format.js';
import type { Measures } from '../../reports/measures.js';
import type { PeriodComparison } from '../query/report-view.js';

/** A headline number, its change, and whether the change is for the better. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly change: string | null;
  readonly trend: 'better' | 'worse' | 'same';
}

/**
 * Returns a period's headline numbers, and the changes of its finished days.
 *
 * @param compared null: there is nothing to compare with
 */
export function figuresOf(now: Measures, compared: PeriodComparison | null, currency: string): readonly Figure[] {
  const figureFor = (
    name: string,
    value: string,
    pick: (measures: Measures) => bigint | number | null,
    unit = '',
  ): Figure => {
    const [one, other] = compared === null ? [null, null] : [pick(compared.now), pick(compared.before)];
    // A rate without a denominator is null: it did not fall to 0.
    const change = one === null || other === null ? null : format.change(Number(one), Number(other));
    return {
      name,
      value,
      unit,
      change,
      trend: change === null || one === other ? 'same' : one! > other! ? 'better' : 'worse',
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
