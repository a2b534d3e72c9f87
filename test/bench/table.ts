import Table from 'cli-table3';

/** One table as every benchmark prints it: the first column names, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((_, column) => (column === 0 ? ('left' as const) : ('right' as const)));
  const made = new Table({ head: [...head], colAligns: columns, style: { head: [], border: [], compact: true } });
  made.push(...rows.map((row) => [...row]));
  return made.toString();
}

/** The value below which the given share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

/** A duration in words: milliseconds below ten seconds, seconds from there. */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  return ms < 10_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
