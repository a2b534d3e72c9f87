import { LedgerUnavailableError, type Outcome, type UsageEvent } from '../ledger/tables/ledger.js';
import type { EventSpool } from './event-spool.js';

/** The outcome of an event, or that it waits on disk for the ledger, which decides its outcome later. */
export type CountOutcome = Outcome | { readonly counted: false; readonly reason: 'waiting' };

/** How long the ledger has: less than a person waits for the redirect, with time left to write to the spool. */
const LEDGER_TIMEOUT_MS = 150;

/**
 * Records a click. If the ledger fails or is slow, keeps the click on disk before the person is redirected.
 *
 * @param record stores the click in the ledger
 * @returns undefined when neither ledger nor disk could keep it
 */
export async function recordClick(
  click: UsageEvent,
  record: () => Promise<Outcome>,
  spool: EventSpool | null,
): Promise<CountOutcome | undefined> {
  const recorded = record().catch((error: unknown) => {
    if (error instanceof LedgerUnavailableError) return undefined;
    throw error;
  });
  const first = await withTimeout(recorded);
  if (first !== 'late' && first !== undefined) return first;
  const isSpooled = await spool?.add(click, true).then(
    () => true,
    () => false,
  );
  if (spool === null || !isSpooled) return recorded;
  recorded
    .then((outcome) => {
      if (outcome === undefined) return undefined;
      const isMissing = !outcome.counted && outcome.reason === 'no-impression';
      // The fault that delayed the click may have delayed its impression too.
      return isMissing ? spool.markIgnored(click) : spool.remove([click]);
    })
    // If the ledger or the disk failed, the spool's hand-over retries.
    .catch(() => undefined)
    .finally(() => spool.release(click));
  return { counted: false, reason: 'waiting' };
}

/**
 * Records an impression or view. If the ledger cannot store it, this is still an error, so that the client sends it
 * again. Since not every client does, the event is also kept on disk.
 *
 * @param record stores the event in the ledger
 * @throws LedgerUnavailableError as `record` does
 */
export async function recordImpressionOrView(
  event: UsageEvent,
  record: () => Promise<Outcome>,
  spool: EventSpool | null,
): Promise<Outcome> {
  try {
    return await record();
  } catch (error) {
    // If the disk refuses it too, only a retry by the client can save it.
    if (error instanceof LedgerUnavailableError) await spool?.add(event).catch(() => undefined);
    throw error;
  }
}

async function withTimeout<T>(recorded: Promise<T>): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, LEDGER_TIMEOUT_MS, 'late')));
  try {
    return await Promise.race([recorded, late]);
  } finally {
    clearTimeout(timer);
  }
}
