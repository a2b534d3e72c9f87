import { csvOf } from '../../platform/text/csv.js';
import { decimal } from '../../models/text/money.js';
import { OWN_MEASURES, type OwnReport, type OwnValues } from './own-report.js';

/** Formats a party's report as CSV, without a total row, so that a column can be summed. */
export function ownCsv({ party, by, currency, rows }: OwnReport): string {
  const money = currency === null ? {} : { currency };
  return csvOf(
    rows.map(({ group, values }) => ({ ...group, ...plain(values), ...money })),
    [...by, ...OWN_MEASURES[party.kind], ...Object.keys(money)],
  );
}

/** Converts a party's report to plain JSON values; money is a string with six decimals. */
export function ownJson({ party, by, from, to, timeZone, currency, rows, total }: OwnReport) {
  return {
    [party.kind]: party.name,
    by,
    from,
    to,
    timeZone,
    ...(currency === null ? {} : { currency }),
    rows: rows.map(({ group, values }) => ({ ...group, ...plain(values) })),
    total: plain(total),
  };
}

function plain(values: OwnValues): Readonly<Record<string, string | number | null>> {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? decimal(value) : value,
  ]);
  return Object.fromEntries(entries) as Record<string, string | number | null>;
}
