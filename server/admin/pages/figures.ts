import { decimalsOf } from '../../invoice/payable.js';
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
  /** Small text below. */
  readonly note: string | null;
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
    note: string | null = null,
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
      note,
    };
  };
  const money = (micros: bigint | null): string => format.roundMoney(micros, decimalsOf(currency));
  // Reports keep voided events, so that they agree with the invoices of their months; budgets get them back.
  const credited = now.creditMicros > 0n ? `−${format.money(now.creditMicros, decimalsOf(currency))} credited` : null;
  return [
    figureFor('Spend', money(now.spendMicros), ({ spendMicros }) => spendMicros, currency, credited),
    figureFor('Impressions', format.short(now.impressions), ({ impressions }) => impressions),
    figureFor('Clicks', format.short(now.clicks), ({ clicks }) => clicks),
    figureFor('CTR', format.percent(now.ctr), ({ ctr }) => ctr),
    figureFor('eCPM', money(now.ecpmMicros), ({ ecpmMicros }) => ecpmMicros, currency),
    figureFor('Fill rate', format.percent(now.fillRate, 1), ({ fillRate }) => fillRate),
  ];
}
