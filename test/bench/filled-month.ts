import { openFileForWriting } from '../../server/ledger/sqlite/sqlite-file.js';
import { storeAccountingBasis } from '../../server/ledger/tables/accounting-basis.js';
import type { Count } from '../../server/ledger/tables/batch.js';
import type { UsageEvent } from '../../server/ledger/tables/ledger.js';
import { createLedgerStore } from '../../server/ledger/bill-events.js';
import type { Claims } from '../../server/domain/claims.js';
import { momentsBetween, randomNumbers } from '../support/plausible-month.js';

const PUBLISHERS = 12;
const CREATIVES = 400;
const DAYS = 30;
const FROM = Date.UTC(2026, 9, 1);
const SPAN_MS = DAYS * 86_400_000;
const BATCH = 20_000;

/** The filled month, as a report's period. */
export const MONTH = { from: '2026-10-01', to: '2026-10-30' };

/**
 * Fills a ledger with a month of plausible events: 12 publishers of different sizes, 400 creatives of which a few have
 * most of the events, two views per three impressions, one click per fifty, most by day and few by night; decisions as
 * counters.
 */
export function fillMonth(file: string, events: number): void {
  const database = openFileForWriting(file, 0);
  // Nothing here has to survive a power failure.
  database.file.pragma('synchronous = off');
  database.file.pragma('cache_size = -1000000');
  database.exclusively(() => storeAccountingBasis(database, { currency: 'USD', timeZone: 'UTC' }));
  const store = createLedgerStore(database, 'UTC');
  const random = randomNumbers(7);
  const momentOf = momentsBetween(FROM, FROM + SPAN_MS);
  const claims = Array.from({ length: PUBLISHERS }, (_, publisher) =>
    Array.from({ length: CREATIVES }, (__, creative) => claimsOf(publisher, creative)),
  );
  for (let first = 0; first < events; first += BATCH) {
    const count = Math.min(BATCH, events - first);
    const batch = Array.from({ length: count }, (_, number): UsageEvent => {
      const of = claims[skewed(random(), PUBLISHERS)]![skewed(random(), CREATIVES)]!;
      const at = momentOf((first + number) / events);
      return { kind: kindOf(random()), id: (first + number).toString(16).padStart(32, '0'), claims: of, at };
    });
    store.write({ events: batch, counts: decisionsOf(batch) });
  }
  database.file.pragma('wal_checkpoint(truncate)');
  database.close();
}

function claimsOf(publisher: number, creative: number): Claims {
  const cpm = { model: 'cpm', micros: 1_000_000 + 1000 * creative } as const;
  return {
    publisher: `publisher-${publisher}`,
    creative: `creative-${creative}`,
    campaign: `campaign-${creative % 80}`,
    advertiser: `advertiser-${creative % 20}`,
    pricing: creative % 3 === 0 ? { model: 'cpc', micros: 300_000 + creative } : cpm,
    issuedAt: FROM,
    test: false,
  };
}

/** Skews draws toward low numbers. */
const skewed = (random: number, size: number): number => Math.floor(random ** 3 * size);

const kindOf = (random: number): UsageEvent['kind'] =>
  random < 0.59 ? 'impression' : random < 0.985 ? 'view' : 'click';

function decisionsOf(batch: readonly UsageEvent[]): Count[] {
  return batch
    .filter(({ kind }) => kind === 'impression')
    .flatMap(({ claims: { publisher, advertiser, campaign, creative, test }, at }, number): Count[] => {
      const isFilled = number % 3 !== 0;
      const dimensionSet = isFilled
        ? { publisher, advertiser, campaign, creative, test }
        : { publisher, advertiser: null, campaign: null, creative: null, test };
      const once = { minute: Math.floor(at / 60_000), dimensionSet, times: 1 };
      return [
        { ...once, counted: 'decision', reason: isFilled ? '' : 'below-floor' },
        { ...once, counted: isFilled ? 'fill-in' : 'no-fill-in', reason: number % 10 === 1 ? 'de' : 'en' },
      ];
    });
}
