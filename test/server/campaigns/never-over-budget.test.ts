import { expect } from 'chai';
import fc from 'fast-check';
import type { Outcome, UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { createCalendar } from '../../../platform/time/calendar.js';
import type { Limits } from '../../../server/domain/claims.js';
import { openForReading, type LedgerLocation } from '../../../server/ledger/database.js';
import { rowsOf, STORES, temporaryLedgerIn } from '../ledger/temporary-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

const ZONE = 'Europe/Berlin';
const HOUR = 3_600_000;
/** Midnight in Berlin after the 25-hour day at the end of summer time. */
const MIDNIGHT = Date.UTC(2026, 9, 25, 23);

/** One event: its campaign, its price, its hours from midnight, and the ledger that writes it. */
interface Happening {
  readonly campaign: 'capped' | 'daily' | 'both' | 'free' | null;
  readonly cpm: boolean;
  readonly thousandths: number;
  readonly hours: number;
  readonly test: boolean;
  readonly through: 0 | 1;
  /** One of few ids, so that some repeat. */
  readonly id: number;
}

const happening: fc.Arbitrary<Happening> = fc.record({
  campaign: fc.constantFrom('capped', 'daily', 'both', 'free', null),
  cpm: fc.boolean(),
  thousandths: fc.integer({ min: 0, max: 40 }),
  hours: fc.double({ min: -30, max: 30, noNaN: true }),
  test: fc.integer({ min: 0, max: 9 }).map((of) => of === 0),
  through: fc.constantFrom(0, 1),
  id: fc.integer({ min: 0, max: 300 }),
});

for (const store of STORES) {
  describe(`a budget in ${store}`, function () {
    this.timeout(120_000);

    it('is never exceeded, in total or on a day, by concurrent, late or repeated events or by two processes', async () => {
      const runs = fc.asyncProperty(
        fc.array(happening, { minLength: 50, maxLength: 300 }),
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 0, max: 200 }),
        async (happenings, total, daily) => {
          const temporary = await temporaryLedgerIn(store);
          try {
            const ledgers = await Promise.all(
              [0, 1].map(() => temporary.open({ timeZone: ZONE, maxEventsPerBatch: 40 })),
            );
            const limits: Record<string, Limits> = {
              capped: { totalMicros: total, dailyMicros: null },
              daily: { totalMicros: null, dailyMicros: daily },
              both: { totalMicros: total, dailyMicros: daily },
              null: { totalMicros: total, dailyMicros: daily },
            };
            const events = happenings.map((each) => eventOf(each, limits[String(each.campaign)]));
            const outcomes = await Promise.all(
              events.map((event, at) => ledgers[happenings[at]!.through]!.record(event)),
            );
            const spent = await ledgers[0]!.spending(MIDNIGHT);
            await Promise.all(ledgers.map((ledger) => ledger.close()));
            check(temporary.location, limits, events, outcomes, spent);
          } finally {
            await temporary.remove();
          }
        },
      );
      await fc.assert(runs, { numRuns: store === 'SQLite' ? 15 : 5 });
    });

    it('is spent to the last micro if prices divide it, and later events cost nothing', async () => {
      const temporary = await temporaryLedgerIn(store);
      try {
        const ledger = await temporary.open();
        const limits = { totalMicros: 10_000, dailyMicros: null };
        const one = (id: number) => eventOf({ ...ONE, id, thousandths: 100 }, limits);
        const outcomes = await Promise.all(Array.from({ length: 1000 }, (_, id) => ledger.record(one(id))));
        expect(outcomes.filter(({ counted }) => counted)).to.have.length(100);
        expect(outcomes.filter((each) => !each.counted && each.reason === 'over-budget')).to.have.length(900);
        expect(await ledger.spending(MIDNIGHT + HOUR)).to.deep.equal([
          { advertiser: 'Green', campaign: 'capped', creative: '', total: 10_000, today: 10_000 },
        ]);
        expect(await ledger.record(one(999))).to.deep.equal({ counted: false, reason: 'repeated' });
      } finally {
        await temporary.remove();
      }
    });

    it('includes spend from before it was set', async () => {
      const temporary = await temporaryLedgerIn(store);
      try {
        const ledger = await temporary.open();
        await ledger.record(eventOf({ ...ONE, id: 1, thousandths: 70 }, undefined));
        const limits = { totalMicros: 100, dailyMicros: null };
        const late = await ledger.record(eventOf({ ...ONE, id: 2, thousandths: 40 }, limits));
        expect(late).to.deep.equal({ counted: false, reason: 'over-budget' });
        const fitting = await ledger.record(eventOf({ ...ONE, id: 3, thousandths: 30 }, limits));
        expect(fitting).to.deep.equal({ counted: true, priceMicros: 30 });
      } finally {
        await temporary.remove();
      }
    });
  });
}

const ONE: Happening = { campaign: 'capped', cpm: true, thousandths: 0, hours: 1, test: false, through: 0, id: 0 };

function eventOf({ campaign, cpm, thousandths, hours, test, id }: Happening, limits: Limits | undefined): UsageEvent {
  const pricing = cpm
    ? ({ model: 'cpm', micros: thousandths * 1000 } as const)
    : ({ model: 'cpc', micros: thousandths } as const);
  const limited = limits === undefined ? {} : { limits };
  const claims = testClaims({ campaign, pricing, issuedAt: MIDNIGHT - 31 * HOUR, test, ...limited });
  const at = MIDNIGHT + Math.round(hours * HOUR);
  return { kind: cpm ? 'impression' : 'click', id: testDigest(id), claims, at };
}

function check(
  place: LedgerLocation,
  limits: Readonly<Record<string, Limits>>,
  events: readonly UsageEvent[],
  outcomes: readonly Outcome[],
  spent: readonly { readonly campaign: string; readonly total: number; readonly today: number }[],
): void {
  const calendar = createCalendar(ZONE);
  const sums = new Map<string, { total: number; days: Map<string, number> }>();
  for (const [at, event] of events.entries()) {
    const outcome = outcomes[at]!;
    const account = String(event.claims.campaign);
    const sum = sums.get(account) ?? { total: 0, days: new Map<string, number>() };
    sums.set(account, sum);
    if (!outcome.counted) continue;
    const date = calendar.dateOf(event.at);
    sum.total += outcome.priceMicros;
    sum.days.set(date, (sum.days.get(date) ?? 0) + outcome.priceMicros);
  }
  for (const [account, { total, days }] of sums) {
    const { totalMicros, dailyMicros } = limits[account] ?? { totalMicros: null, dailyMicros: null };
    expect(total, account).to.be.at.most(totalMicros ?? Infinity);
    for (const [date, micros] of days) expect(micros, `${account} ${date}`).to.be.at.most(dailyMicros ?? Infinity);
    const reported = spent.find(({ campaign }) => campaign === (account === 'null' ? '' : account));
    expect(reported?.total ?? 0, account).to.equal(total);
    expect(reported?.today ?? 0, account).to.equal(days.get(calendar.dateOf(MIDNIGHT)) ?? 0);
  }
  const database = openForReading(place);
  const numberOf = (text: string): number => rowsOf<{ n: number }>(database, text)[0]!.n;
  const stored = numberOf('select coalesce(sum(price_micros), 0) as n from events');
  const rolled = numberOf("select coalesce(sum(micros), 0) as n from counters where grain = 'day'");
  const unpriced = numberOf("select count(*) as n from events where reason <> '' and price_micros <> 0");
  database.close();
  const all = [...sums.values()].reduce((sum, { total }) => sum + total, 0);
  expect([stored, rolled, unpriced]).to.deep.equal([all, all, 0]);
}
