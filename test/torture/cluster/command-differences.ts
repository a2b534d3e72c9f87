import type { Reconciliation } from '../reconciliation/reconciliation.js';
import { sumsDiffer } from '../reconciliation/sum-differences.js';
import { patiently } from '../processes/busy.js';
import type { Processes } from '../processes/processes.js';

/** Compares the output of `ledger check` and `report` with the events seen in the ledger. */
export async function commandDifferences(commands: Processes, reconciliation: Reconciliation): Promise<string[]> {
  const run = (file: string, ...args: string[]): Promise<string> =>
    patiently(async () => {
      const { code, stdout, stderr } = await commands.start(`server/commands/${file}/main.js`, ...args).ended;
      if (code === 0) return stdout;
      throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${(stdout + stderr).slice(-600)}`);
    });
  const checked = await run('ledger', 'check').then(
    () => [],
    (error: Error) => [error.message],
  );
  for (;;) {
    const stored = reconciliation.seen.since(0).times;
    const report = await run('report', '--by', 'day,publisher,creative', '--format', 'json');
    const found = await patiently(() => reconciliation.differences(true));
    // A click that waited for its impression until now may have been stored before or after the report, so repeat.
    if (reconciliation.seen.since(0).times > stored) continue;
    return [...checked, ...found, ...sumsDiffer('npm run report of', reconciliation.seen.report, sumsIn(report))];
  }
}

function sumsIn(json: string): Map<string, number> {
  const { rows } = JSON.parse(json) as { readonly rows: readonly Record<string, string | number>[] };
  return new Map(
    rows.flatMap(({ day, publisher, creative, impressions, views, clicks, spend }) => {
      const figures = { impressions, views, clicks, spendMicros: Math.round(Number(spend) * 1e6) };
      return Object.entries(figures)
        .filter(([, figure]) => Number(figure) > 0)
        .map(([name, figure]) => [`${day} ${publisher} ${creative} ${name}`, Number(figure)] as const);
    }),
  );
}
