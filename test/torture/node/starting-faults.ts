import Sqlite from 'better-sqlite3';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEDGER_FILE } from '../../../server/ledger/database.js';
import { sqliteDatabase } from '../../../server/ledger/sqlite/sqlite-database.js';
import { readClockMark, writeClockMark } from '../../../server/ledger/tables/accounting-basis.js';
import { damage, type Damage } from './damage.js';
import type { Fault, FaultOptions } from './running-faults.js';

/** Returns the faults that begin before the server starts. It may refuse to start, but must not lose anything. */
export function startingFaults({ disk, control, chance }: FaultOptions): readonly Fault[] {
  let damaged: Damage | undefined;
  return [
    {
      name: 'read-only',
      ledgerIsWell: false,
      diskIsWell: false,
      lastsMs: 3000,
      begin: () => disk.setReadOnly(true),
      end: () => disk.setReadOnly(false),
    },
    {
      name: 'damage',
      ledgerIsWell: true,
      diskIsWell: true,
      lastsMs: 3000,
      begin() {
        const [id = ''] = readFileSync(join(disk.dataDir, 'current'), 'utf8').split(/\s/);
        const snapshot = ['creatives.jsonl', 'vectors.f32', 'graph.hnsw', 'manifest.json'].map((file) =>
          join('snapshots', id, file),
        );
        const file = chance.oneOf(['signing-keys.json', 'keys.json', 'campaigns.json', ...snapshot]);
        damaged = damage(join(disk.dataDir, file), chance);
      },
      end: () => damaged?.mend(),
    },
    {
      // Weeks pass, also by the ledger's clock mark: events become old enough to be pruned, and signing keys to be
      // replaced.
      name: 'clock',
      ledgerIsWell: true,
      diskIsWell: true,
      lastsMs: 0,
      begin() {
        control.step(chance.whole(5, 20) * 24 * 3_600_000);
        moveMark(join(disk.dataDir, LEDGER_FILE), control.now());
      },
      end: () => undefined,
    },
  ];
}

/** Advances the ledger's clock mark, as a server that ran all the time would have done. */
function moveMark(file: string, moment: number): void {
  if (!existsSync(file)) return;
  const database = sqliteDatabase(new Sqlite(file));
  try {
    if ((readClockMark(database) ?? Infinity) < moment) writeClockMark(database, moment);
  } finally {
    database.close();
  }
}
