import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { SPOOL_FILE } from '../../../server/events/event-spool.js';
import { keyOf } from '../calls/books.js';

/** Returns the keys of the events spooled in a data directory. The ledger may hold some of them already. */
export function waitingEvents(dataDir: string): ReadonlySet<string> {
  return new Set(
    readSpool(dataDir)
      .split('\n')
      .flatMap((line) => readKey(line) ?? []),
  );
}

/** Returns undefined for a line cut off by a full disk or a kill; no caller got an acknowledgment for such an event. */
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
