import { parentPort, workerData } from 'node:worker_threads';
import type { Batch, FromThread, ToThread } from './batch.js';
import { openForWriting } from './database.js';
import { fixInstallation, rollUpsAreCurrent, type Installation } from './installation.js';
import { rebuildRollUps } from './rebuild.js';
import { createStore, type Store } from './store.js';

/** What the thread is started with. */
export interface ThreadSettings extends Installation {
  readonly file: string;
  readonly busyTimeoutMs: number;
}

// SQLite is synchronous and waits for the disk at every commit: it has this thread to itself.
const port = parentPort!;
const settings = workerData as ThreadSettings;
const answer = (message: FromThread): void => port.postMessage(message);

try {
  const database = openForWriting(settings.file, settings.busyTimeoutMs);
  database.transaction(fixInstallation).immediate(database, settings);
  if (!rollUpsAreCurrent(database)) rebuildRollUps(database, settings.timeZone);
  const store = createStore(database, settings.timeZone);
  port.on('message', (message: ToThread) => {
    if ('write' in message) return write(store, message.write);
    if ('spendingAt' in message) return answer({ spending: store.spending(message.spendingAt) });
    database.close();
    port.close();
  });
  answer({ opened: true });
} catch (error) {
  answer({ refused: (error as Error).message });
  port.close();
}

function write(store: Store, batch: Batch): void {
  try {
    answer({ written: store.write(batch) });
  } catch (error) {
    answer({ failed: (error as Error).message });
    // A full disk or a lock passes. After anything else the file is better opened afresh: this thread ends and is replaced.
    if (!/^SQLITE_(BUSY|FULL|LOCKED)/.test((error as { code?: string }).code ?? '')) throw error;
  }
}
