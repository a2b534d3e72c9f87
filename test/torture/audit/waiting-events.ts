import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventKind } from '../../../models/schema/usage-event.js';
import { SPOOL_FILE } from '../../../server/events/event-spool.js';
import { keyOf } from '../calls/books.js';

/** Keys of the events that a data directory keeps for the ledger, some of which the ledger may have by now. */
export function waitingEvents(dataDir: string): ReadonlySet<string> {
  return new Set(
    readSpool(dataDir)
      .split('\n')
      .flatMap((line) => readKey(line) ?? []),
  );
}

/** A full disk or a kill may have cut a line off; then nobody was told that its event counts. */
function readKey(line: string): string | undefined {
  try {
    const { id, kind } = JSON.parse(line) as { readonly id: string; readonly kind: EventKind };
    return keyOf(id, kind);
  } catch {
    return undefined;
  }
}

function readSpool(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, SPOOL_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
