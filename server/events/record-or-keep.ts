import { LedgerUnavailableError, type Outcome, type UsageEvent } from '../ledger/tables/ledger.js';
import type { EventSpool } from './event-spool.js';

/** What became of an event, or that it waits on the disk for the ledger, which has the last say. */
export type CountOutcome = Outcome | { readonly counted: false; readonly reason: 'waiting' };

/** So long the ledger has for itself: less than a person waits for the redirect, with time left to write to the spool. */
const PATIENCE_MS = 150;

/**
 * Records a click. One that the ledger refuses, or is slow to store, is kept on the disk before the person is sent on.
 *
 * @param record stores it in the ledger
 * @returns undefined when neither could keep it
 */
export async function recordClick(
  click: UsageEvent,
  record: () => Promise<Outcome>,
  spool: EventSpool | undefined,
): Promise<CountOutcome | undefined> {
  const recorded = record().catch((error: unknown) => {
    if (error instanceof LedgerUnavailableError) return undefined;
    throw error;
  });
  const first = await withinPatience(recorded);
  if (first !== 'late' && first !== undefined) return first;
  try {
    if (spool === undefined) throw new Error('there is no spool');
    await spool.add(click, true);
  } catch {
    return recorded;
  }
  recorded
    .then((outcome) => {
      if (outcome === undefined) return undefined;
      const isMissing = !outcome.counted && outcome.reason === 'no-impression';
      // What held up the click may have held up its impression, too.
      return isMissing ? spool.markIgnored(click) : spool.remove([click]);
    })
    // What the ledger or the disk could not do now is done when the spool is handed over.
    .catch(() => undefined)
    .finally(() => spool.release(click));
  return { counted: false, reason: 'waiting' };
}

/**
 * Records an impression or view. One that the ledger cannot store is an error all the same, so that its caller sends it
 * again; since not all do, it is kept on the disk, too.
 *
 * @param record stores it in the ledger
 * @throws LedgerUnavailableError as `record` does
 */
export async function recordShown(
  event: UsageEvent,
  record: () => Promise<Outcome>,
  spool: EventSpool | undefined,
): Promise<Outcome> {
  try {
    return await record();
  } catch (error) {
    // Where the disk refuses it as well, only its caller is left.
    if (error instanceof LedgerUnavailableError) await spool?.add(event).catch(() => undefined);
    throw error;
  }
}

async function withinPatience<T>(recorded: Promise<T>): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS, 'late')));
  try {
    return await Promise.race([recorded, late]);
  } finally {
    clearTimeout(timer);
  }
}
