import { sumsDiffer } from '../audit/audit-sums.js';
import type { Seen } from '../audit/seen.js';
import { patiently } from '../processes/busy.js';
import type { Processes } from '../processes/processes.js';

/** What an operator's own commands say of the ledger, compared with the events that it was seen to hold. */
export async function commandDifferences(commands: Processes, seen: Seen): Promise<string[]> {
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
  const report = await run('report', '--by', 'day,publisher,creative', '--format', 'json');
  return [...checked, ...sumsDiffer('npm run report of', seen.report, sumsIn(report))];
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
