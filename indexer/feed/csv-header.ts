import type { FeedFault, FeedPosition } from './feed-entry.js';
import { COLUMNS, hintAt, misspelledColumn, mustBe, REQUIRED_COLUMNS, shortName } from './field-names.js';

/** What separates cells: Excel writes semicolons where the decimal point is a comma, Google Merchant tabs. */
const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The header row of a CSV feed. */
export interface CsvHeader {
  readonly columns: readonly string[];
  readonly delimiter: Delimiter;
}

/**
 * Finds the delimiter by which a header row has the most known columns, or else the most columns.
 *
 * @param isKnown whether a column is one that is looked for
 * @param cellsBy parses the header row with a delimiter; null: it is not valid CSV
 */
export function readHeader(
  isKnown: (column: string) => boolean,
  cellsBy: (delimiter: Delimiter) => readonly string[] | null,
): CsvHeader {
  const headers = DELIMITERS.map((delimiter) => ({
    delimiter,
    columns: (cellsBy(delimiter) ?? []).map((cell) => cell.trim()),
  }));
  const known = ({ columns }: CsvHeader): number => columns.filter(isKnown).length;
  const [best] = headers.toSorted(
    (one, other) => known(other) - known(one) || other.columns.length - one.columns.length,
  );
  return best!;
}

/**
 * Returns the faults of a header row; any of them refuses the feed.
 *
 * @param fixed fields that every row gets, so that their columns may be missing
 */
export function headerFaults(
  columns: readonly string[],
  position: FeedPosition,
  fixed: ReadonlySet<string>,
): FeedFault[] {
  const misspelled = columns.flatMap((column) => {
    const meant = COLUMNS.has(column) ? undefined : misspelledColumn(column, columns);
    return meant === undefined ? [] : [{ column, meant }];
  });
  const missing = REQUIRED_COLUMNS.filter(
    (column) => !columns.includes(column) && !fixed.has(column) && !misspelled.some(({ meant }) => meant === column),
  );
  const twice = columns.filter((column, at) => COLUMNS.has(column) && columns.indexOf(column) !== at);
  return [
    ...misspelled.map(({ column, meant }) => ({ position, field: shortName(column), message: mustBe(meant) })),
    ...missing.map((field) => ({
      position,
      field,
      message: `is missing in the header row${hintFor(field, columns)}`,
    })),
    ...[...new Set(twice)].map((field) => ({ position, field, message: 'occurs more than once in the header row' })),
  ];
}

function hintFor(field: string, columns: readonly string[]): string {
  if (columns.length === 1) return '; cells must be separated by commas, semicolons or tabs';
  return hintAt(field, columns);
}
