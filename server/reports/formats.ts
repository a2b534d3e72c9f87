import { IGNORED_REASONS, NO_FILL_REASONS } from '../../models/schema/event-kinds.js';
import { csvOf } from '../../platform/text/csv.js';
import type { Report, ReportRow } from './report.js';
import { decimal } from '../../models/text/money.js';
import type { Measures } from './measures.js';

/**
 * Formats a report as CSV (RFC 4180, one header row, always the same columns after the dimensions; no total row, so
 * that a column can be summed). Cells that a spreadsheet would interpret as a formula get a leading apostrophe, since
 * names come from feeds.
 */
export function asCsv(report: Report): string {
  // Without dimensions, the total is the only row.
  const rows = report.by.length === 0 ? [{ group: {}, ...report.total }] : report.rows;
  return csvOf(
    rows.map((row) => cellsOf(row, report)),
    columnsOf(report),
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

/**
 * Converts a report to plain JSON values. Money is a string with all six decimals, since a JSON number would be
 * rounded.
 */
export function asJson(report: Report) {
  const { rows, total, ...head } = report;
  return {
    ...head,
    rows: rows.map(({ group, ...measures }) => Object.assign({}, group, plainMeasures(measures))),
    total: plainMeasures(total),
  };
}

function plainMeasures({ spendMicros, fillRate, ctr, ecpmMicros, voided, creditMicros, ...counts }: Measures) {
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
