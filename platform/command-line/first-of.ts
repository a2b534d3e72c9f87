/**
 * Lists the first items of a summary's line and counts the others: `a, b and 3 more (all with --verbose)`.
 *
 * @param most how many are listed, unless `verbose`
 */
export function firstOf<T>(items: readonly T[], most: number, verbose: boolean, describe: (item: T) => string): string {
  const shown = verbose ? items : items.slice(0, most);
  const more = items.length - shown.length;
  const rest = more === 0 ? '' : ` and ${more.toLocaleString('en')} more (all with --verbose)`;
  return `${shown.map(describe).join(', ')}${rest}`;
}
