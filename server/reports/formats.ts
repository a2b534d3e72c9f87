import { stringify } from 'csv-stringify/sync';
import { IGNORED_REASONS, NO_FILL_REASONS } from '../../models/schema/usage-event.js';
import type { Report, ReportRow } from './report.js';
import { decimal } from '../../models/text/money.js';
import type { Measures } from './measures.js';

/**
 * A report as CSV (RFC 4180, one header row, always the same columns after the dimensions; no total row, so that a column
 * adds up). Cells that a spreadsheet would take for a formula are made text by a leading apostrophe: names come from feeds.
 */
export function asCsv(report: Report): string {
  return stringify(
    // Without dimensions, all of it is one row.
    (report.by.length === 0 ? [{ group: {}, ...report.total }] : report.rows).map((row) => cellsOf(row, report)),
    { header: true, columns: columnsOf(report), escape_formulas: true, record_delimiter: 'windows' },
  );
}

function columnsOf({ by }: Report): string[] {
  return [
    ...by,
    'decisions',
    'fills',
    ...NO_FILL_REASONS.map((reason) => `noFills.${reason}`),
    'impressions',
    'views',
    'clicks',
    ...IGNORED_REASONS.map((reason) => `ignored.${reason}`),
    'spend',
    'currency',
    'fillRate',
    'ctr',
    'ecpm',
    'voided',
    'credits',
  ];
}

function cellsOf({ group, ...measures }: ReportRow, { by, currency }: Report): (string | number | null)[] {
  const { decisions, fills, noFills, impressions, views, clicks, ignored, spend, fillRate, ctr, ecpm, ...later } =
    plainMeasures(measures);
  return [
    ...by.map((dimension) => group[dimension] ?? null),
    decisions,
    fills,
    ...NO_FILL_REASONS.map((reason) => noFills[reason]),
    impressions,
    views,
    clicks,
    ...IGNORED_REASONS.map((reason) => ignored[reason]),
    spend,
    currency,
    fillRate,
    ctr,
    ecpm,
    later.voided,
    later.credits,
  ];
}

/** A report as plain JSON values. Money is a string with all six decimals, since a JSON number would be rounded. */
export function asJson(report: Report) {
  const { rows, total, ...head } = report;
  return {
    ...head,
    rows: rows.map(({ group, ...measures }) => Object.assign({}, group, plainMeasures(measures))),
    total: plainMeasures(total),
  };
}

export function plainMeasures({ spendMicros, fillRate, ctr, ecpmMicros, voided, creditMicros, ...counts }: Measures) {
  return {
    ...counts,
    spend: decimal(spendMicros),
    fillRate,
    ctr,
    ecpm: ecpmMicros === null ? null : decimal(ecpmMicros),
    voided,
    credits: decimal(creditMicros),
  };
}
