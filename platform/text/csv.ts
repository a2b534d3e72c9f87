import { stringify } from 'csv-stringify/sync';

/** Values of a row: by column, or in the order of the columns. */
type Row = Readonly<Record<string, unknown>> | readonly unknown[];

/**
 * Writes a CSV (RFC 4180) with a header row. Texts that a spreadsheet would read as a formula get an apostrophe, also
 * where it splits cells at semicolons, tabs or line ends, as those of many European countries do.
 *
 * @param amounts columns of objects whose texts are amounts: a minus does not make them a formula
 */
export function csvOf(
  rows: readonly Row[],
  columns: readonly string[],
  amounts: ReadonlySet<string> = new Set(),
): string {
  return stringify([...rows], {
    header: true,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: 'windows',
    cast: {
      string: (value, { column }) =>
        amounts.has(String(column)) ? { value, escape_formulas: false } : breakFormulas(value),
    },
  });
}

/** The beginning of a cell is `escape_formulas`, which knows leading tabs and carriage returns, but no separators. */
function breakFormulas(text: string): string {
  return text.replace(/(?!^[\t\r])([;\t\r\n]["\s]*)(?=[=+\-@|\uff1d\uff0b\uff0d\uff20])/g, "$1'");
}
