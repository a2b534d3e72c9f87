import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { LEDGER_FILE } from '../../../server/ledger/database.js';
import type { Chance } from '../calls/chance.js';
import type { TortureControl } from '../calls/control.js';
import { HOUR } from '../../../platform/time/durations.js';
import { damage, type Damage } from './damage.js';
import type { Disk } from './disk.js';
import type { FaultName } from './fault-names.js';

/** A temporary fault other than a kill. */
export interface Fault {
  readonly name: FaultName;
  /** Whether events can be stored during the fault. */
  readonly ledgerIsWell: boolean;
  /** Whether files next to the ledger can be written during the fault; clicks are spooled in one. */
  readonly diskIsWell: boolean;
  /** Maximum duration in milliseconds. */
  readonly lastsMs: number;
  begin(pid: number): void;
  /** @param pid of the server, if it still runs */
  end(pid: number | null): void;
}

export interface FaultOptions {
  readonly disk: Disk;
  readonly control: TortureControl;
  readonly chance: Chance;
}

/** Returns the faults of a server that serves. */
export function runningFaults({ disk, control, chance }: FaultOptions): readonly Fault[] {
  const { dataDir } = disk;
  let lock: Sqlite.Database | undefined;
  let damaged: Damage | undefined;
  const nothing = (): void => undefined;
  return [
    {
      // Calls hang and deadlines pass until the process continues.
      name: 'stop',
      ledgerIsWell: true,
      diskIsWell: true,
      lastsMs: 1500,
      begin: (pid) => void process.kill(pid, 'SIGSTOP'),
      end: (pid) => void (pid === null || process.kill(pid, 'SIGCONT')),
    },
    {
      // Another process holds the write lock, for longer or shorter than the server waits.
      name: 'lock',
      ledgerIsWell: false,
      diskIsWell: true,
      lastsMs: 4500,
      begin() {
        lock = new Sqlite(join(dataDir, LEDGER_FILE), { timeout: 2000 });
        lock.exec('begin exclusive');
      },
      end: () => void lock?.close(),
    },
    {
      name: 'full-disk',
      ledgerIsWell: false,
      diskIsWell: false,
      lastsMs: 1500,
      begin: (pid) => disk.fill(pid, chance.whole(0, 40) * 4096),
      end: (pid) => disk.empty(pid),
    },
    {
      // A half-saved or badly copied file.
      name: 'damage',
      ledgerIsWell: true,
      diskIsWell: true,
      lastsMs: 1200,
      begin: () =>
        void (damaged = damage(join(dataDir, chance.oneOf(['keys.json', 'campaigns.json', 'current'])), chance)),
      end: () => damaged?.mend(),
    },
    // The clock is set and stays so.
    {
      name: 'clock',
      ledgerIsWell: true,
      diskIsWell: true,
      lastsMs: 600,
      begin: () => control.step(chance.whole(1, 3 * HOUR)),
      end: nothing,
    },
    {
      name: 'clock-back',
      ledgerIsWell: true,
      diskIsWell: true,
      lastsMs: 600,
      begin: () => control.step(-chance.whole(1, 3 * HOUR)),
      end: nothing,
    },
    {
      name: 'ledger-thread',
      ledgerIsWell: false,
      diskIsWell: true,
      lastsMs: 400,
      begin: () => control.killThread('ledger'),
      end: nothing,
    },
    {
      name: 'encoder-thread',
      ledgerIsWell: true,
      diskIsWell: true,
      lastsMs: 400,
      begin: () => control.killThread('encoder'),
      end: nothing,
    },
  ];
}
