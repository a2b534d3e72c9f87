import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEDGER_FILE } from '../../../server/ledger/database.js';
import { createLedger, type EmbeddedLedger, type LedgerOptions } from '../../../server/ledger/embedded-ledger.js';

/** A directory of its own for the ledgers of one test, which ends with them. */
export interface TemporaryLedger {
  readonly dataDir: string;
  readonly file: string;
  open(options?: Partial<LedgerOptions>): Promise<EmbeddedLedger>;
  remove(): Promise<void>;
}

export function temporaryLedger(): TemporaryLedger {
  const dataDir = mkdtempSync(join(tmpdir(), 'adjacent-ledger-'));
  const file = join(dataDir, LEDGER_FILE);
  const opened: EmbeddedLedger[] = [];
  return {
    dataDir,
    file,
    async open(options = {}) {
      const ledger = await createLedger({ file, currency: 'USD', timeZone: 'UTC', ...options });
      opened.push(ledger);
      return ledger;
    },
    async remove() {
      await Promise.allSettled(opened.map((ledger) => ledger.close()));
      rmSync(dataDir, { recursive: true });
    },
  };
}
