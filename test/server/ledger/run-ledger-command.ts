import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../server/commands/ledger/main.js', import.meta.url));

/** Runs `npm run ledger -- …` on a data directory, which is also where it stands. */
export function runLedgerCommand(
  dataDir: string,
  ...argv: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, '--data-dir', dataDir, ...argv], { cwd: dataDir }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}
