import Table from 'cli-table3';

/** Formats a table as every benchmark prints it: names in the first column, figures in the others. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((_, column) => (column === 0 ? ('left' as const) : ('right' as const)));
  const made = new Table({ head: [...head], colAligns: columns, style: { head: [], border: [], compact: true } });
  made.push(...rows.map((row) => [...row]));
  return made.toString();
}

/** Returns the value below which the given share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

/** Formats a duration: milliseconds below ten seconds, seconds from there. */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  return ms < 10_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
