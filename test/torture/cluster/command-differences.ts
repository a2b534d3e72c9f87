import { sumsDiffer } from '../audit/audit-sums.js';
import type { Seen } from '../audit/seen.js';
import type { Processes } from '../processes/processes.js';

/** What an operator's own commands say of the ledger, compared with the events that it was seen to hold. */
export async function commandDifferences(commands: Processes, seen: Seen): Promise<string[]> {
  const run = async (file: string, ...args: string[]): Promise<{ fault: string[]; out: string }> => {
    const { code, stdout, stderr } = await commands.start(`server/commands/${file}/main.js`, ...args).ended;
    const fault = code === 0 ? [] : [`${file} ${args.join(' ')} ended with ${code}: ${(stdout + stderr).slice(-600)}`];
    return { fault, out: stdout };
  };
  const check = await run('ledger', 'check');
  const report = await run('report', '--by', 'day,publisher,creative', '--format', 'json');
  if (report.fault.length > 0) return [...check.fault, ...report.fault];
  return [...check.fault, ...sumsDiffer('npm run report of', seen.report, sumsIn(report.out))];
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
