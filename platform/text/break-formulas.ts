/**
 * Returns a text in which no spreadsheet finds a formula where it splits a CSV's cells at semicolons, tabs or line
 * ends, as those of many European countries do. The beginning of a cell is `escape_formulas` of csv-stringify.
 */
export function breakFormulas(text: string): string {
  return text.replace(/(?!^[\t\r])([;\t\r\n]["\s]*)(?=[=+\-@|\uff1d\uff0b\uff0d\uff20])/g, "$1'");
}
