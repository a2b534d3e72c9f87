import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TemporaryLedger } from './temporary-ledger.js';

const main = fileURLToPath(new URL('../../../server/commands/ledger/main.js', import.meta.url));

/** Runs `npm run ledger -- …` on a ledger, with its data directory as the working directory. */
export function runLedgerCommand(
  { dataDir, env }: Pick<TemporaryLedger, 'dataDir' | 'env'>,
  ...argv: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, '--data-dir', dataDir, ...argv],
      { cwd: dataDir, env: { ...process.env, ...env } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}
