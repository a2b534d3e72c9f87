import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { SPOOL_FILE } from '../../../server/events/event-spool.js';
import { keyOf } from '../calls/books.js';

/**
 * Returns when each event spooled in a data directory happened, by its key. The ledger may hold some of them already,
 * or have refused them.
 */
export function waitingEvents(dataDir: string): ReadonlyMap<string, number> {
  return new Map(
    readSpool(dataDir)
      .split('\n')
      .flatMap((line) => readEvent(line) ?? []),
  );
}

/** Returns undefined for a line cut off by a full disk or a kill; no caller got an acknowledgment for such an event. */
function readEvent(line: string): [[string, number]] | undefined {
  try {
    const { id, kind, at } = JSON.parse(line) as { readonly id: string; readonly kind: EventKind; readonly at: number };
    return [[keyOf(id, kind), at]];
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
