import { decimal } from '../domain/decimal.js';
import type { Measures } from './measures.js';
import type { Report } from './report.js';

/** A report as plain JSON values. Money is a string with all six decimals, since a JSON number would be rounded. */
export function asJson(report: Report) {
  const { rows, total, ...head } = report;
  return {
    ...head,
    rows: rows.map(({ group, ...measures }) => Object.assign({}, group, plainMeasures(measures))),
    total: plainMeasures(total),
  };
}

export function plainMeasures({ spendMicros, fillRate, ctr, ecpmMicros, ...counts }: Measures) {
  return {
    ...counts,
    spend: decimal(spendMicros),
    fillRate,
    ctr,
    ecpm: ecpmMicros === null ? null : decimal(ecpmMicros),
  };
}
