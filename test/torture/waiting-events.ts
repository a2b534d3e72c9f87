import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SPOOL_FILE } from '../../server/events/event-spool.js';

/** Digests of the clicks that a data directory keeps for the ledger, some of which the ledger may have by now. */
export function waitingClicks(dataDir: string): ReadonlySet<string> {
  return digestsOf(wholeLines(dataDir).filter((line) => !/"kind":"(impression|view)"/.test(line)));
}

/** Digests of all events that wait, impressions too. */
export function waitingEvents(dataDir: string): ReadonlySet<string> {
  return digestsOf(wholeLines(dataDir));
}

function digestsOf(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => /"id":"([0-9a-f]{32})"/.exec(line)?.[1] ?? []));
}

/** A full disk or a kill may have cut a line off; then nobody was told that its event counts. */
function wholeLines(dataDir: string): string[] {
  return readSpool(dataDir)
    .split('\n')
    .filter((line) => line.endsWith('}'));
}

function readSpool(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, SPOOL_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
