import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { EVENT_KINDS, IGNORED_REASONS, NO_FILL_REASONS } from '../../../models/schema/event-kinds.js';
import { createCalendar } from '../../../platform/time/calendar.js';
import { openForReading, openForWriting } from '../../../server/ledger/database.js';
import type { DecisionRecord, IgnoredEvent, Ledger, UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { rebuildRollUps } from '../../../server/ledger/sums/rebuild.js';
import { DETAILS, ROLL_UPS } from '../../../server/ledger/tables/roll-ups.js';
import type { Claims } from '../../../server/domain/claims.js';
import { report } from '../../../server/reports/report.js';
import type { Dimension } from '../../../server/reports/report-query.js';
import { allSums, execute, temporaryLedger } from '../ledger/temporary-ledger.js';
import { testDigest } from '../../support/test-claims.js';

const basis = { currency: 'EUR', timeZone: 'Europe/Berlin' };
/** Around the end of summer time in Berlin, when an hour repeats and a day is longer. */
const from = Date.UTC(2026, 9, 24, 18);

/** Six ads. The content of each request id is fixed, as in signed ones. */
const ADS: readonly Claims[] = [0, 1, 2, 3, 4, 5].map((number) => ({
  publisher: `publisher-${number % 2}`,
  creative: `creative-${number % 3}`,
  campaign: number === 0 ? null : `campaign-${number % 3}`,
  advertiser: number === 0 ? null : 'advertiser',
  pricing: [{ model: 'cpm', micros: 1_234_000 } as const, { model: 'cpc', micros: 777_777 } as const, null][
    number % 3
  ]!,
  issuedAt: from,
  test: number === 5,
}));

type Happening =
  | { readonly is: 'event'; readonly event: UsageEvent }
  | { readonly is: 'ignored'; readonly ignored: IgnoredEvent }
  | { readonly is: 'decision'; readonly decision: DecisionRecord };

const ad = fc.integer({ min: 0, max: 5 });
const at = fc.integer({ min: 0, max: 36 * 60 }).map((minutes) => from + minutes * 60_000 + 7);
const kind = fc.constantFrom(...EVENT_KINDS);
const language = fc.option(fc.constantFrom('en', 'de', 'other', 'unknown'));
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(ad, kind, at)
      .map(([number, of, when]) => ({ is: 'event' as const, event: event(number, of, when) })),
  },
  fc
    .tuple(fc.option(ad), kind, at, fc.constantFrom(...IGNORED_REASONS.filter((reason) => reason !== 'test')))
    .map(([number, of, when, reason]) => ({
      is: 'ignored' as const,
      ignored: { kind: of, reason, claims: number === null ? null : ADS[number]!, at: when },
    })),
  fc.tuple(ad, at, fc.option(fc.constantFrom(...NO_FILL_REASONS)), language).map(([number, when, reason, told]) => ({
    is: 'decision' as const,
    decision: {
      ...(told === null ? {} : { language: told }),
      publisher: ADS[number]!.publisher,
      test: ADS[number]!.test,
      at: when,
      result:
        reason === null
          ? {
              filled: true as const,
              creative: ADS[number]!.creative,
              campaign: ADS[number]!.campaign,
              advertiser: ADS[number]!.advertiser,
            }
          : { filled: false as const, reason },
    },
  })),
);

describe('a report on random events', () => {
  it('equals a simple count of the events, in any order and by any dimensions', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 120 }), async (happenings) => {
        const temporary = temporaryLedger();
        try {
          const ledger = await temporary.open(basis);
          // Not awaited one by one, so that they share commits like concurrent requests.
          await Promise.all(happenings.map((one) => apply(ledger, one)));
          await ledger.close();
          compare(temporary.file, happenings);
          compareWithRawEvents(temporary.file);
          compareWithRebuilt(temporary.file);
        } finally {
          await temporary.remove();
        }
      }),
      { numRuns: 15 },
    );
  });
});

function event(number: number, of: UsageEvent['kind'], when: number): UsageEvent {
  return { kind: of, id: testDigest(number), claims: ADS[number]!, at: when };
}

async function apply(ledger: Ledger, one: Happening): Promise<void> {
  if (one.is === 'event') await ledger.record(one.event);
  else if (one.is === 'ignored') ledger.ignore(one.ignored);
  else ledger.countDecision(one.decision);
}

/** One line per decision or event, with its value in every dimension, to be counted naively. */
interface Line {
  readonly group: Record<Dimension, string | null>;
  readonly test: boolean;
  readonly what: string;
  /** The same for the language of a decision; null: it has none. */
  readonly inLanguage: string | null;
  readonly micros: number;
}

function linesOf(happenings: readonly Happening[], timeZone: string): Line[] {
  const calendar = createCalendar(timeZone);
  const seen = new Set<string>();
  return happenings.map((one) => {
    const { claims, moment, what, micros } = read(one, seen);
    const inLanguage = one.is === 'decision' ? languageLine(one.decision) : null;
    const { publisher = null, advertiser = null, campaign = null, creative = null, test = false } = claims;
    const group = {
      hour: calendar.hourOf(moment),
      day: calendar.dateOf(moment),
      publisher,
      advertiser,
      campaign,
      creative,
    };
    return { group, test, what, inLanguage, micros };
  });
}

function languageLine({ language: told, result }: DecisionRecord): string | null {
  return told === undefined ? null : `${told}.${result.filled ? 'fills' : 'noFills'}`;
}

function read(
  one: Happening,
  seen: Set<string>,
): { claims: Partial<Claims>; moment: number; what: string; micros: number } {
  if (one.is === 'ignored') {
    return {
      claims: one.ignored.claims ?? {},
      moment: one.ignored.at,
      what: `ignored.${one.ignored.reason}`,
      micros: 0,
    };
  }
  if (one.is === 'decision') {
    const { publisher, test, result, at: moment } = one.decision;
    if (!result.filled) return { claims: { publisher, test }, moment, what: `noFills.${result.reason}`, micros: 0 };
    const { creative, campaign, advertiser } = result;
    return { claims: { publisher, test, creative, campaign, advertiser }, moment, what: 'fills', micros: 0 };
  }
  const { kind: of, id, claims, at: moment } = one.event;
  const before = seen.size;
  if (seen.add(`${id} ${of}`).size === before) return { claims, moment, what: 'ignored.repeated', micros: 0 };
  const paid = claims.test ? 0 : claims.pricing?.model === 'cpm' && of === 'impression' ? 1234 : 0;
  const clicked = !claims.test && claims.pricing?.model === 'cpc' && of === 'click' ? 777_777 : 0;
  return { claims, moment, what: `${of}s`, micros: paid + clicked };
}

const QUESTIONS: readonly (readonly Dimension[])[] = [
  [],
  ['hour'],
  ['day'],
  ['day', 'creative'],
  ['publisher', 'advertiser', 'campaign', 'creative'],
  ['hour', 'day', 'publisher', 'advertiser', 'campaign', 'creative'],
];

function compare(file: string, happenings: readonly Happening[]): void {
  const database = openForReading({ file });
  for (const timeZone of ['Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns']) {
    const lines = linesOf(happenings, timeZone);
    for (const test of [false, true]) {
      for (const by of QUESTIONS) {
        const { rows, total, leftOut } = report(database, { by, timeZone, test }, basis);
        const mine = lines.filter((line) => line.test === test);
        expect(flat(total)).to.deep.equal(sumsOf(mine));
        expect(leftOut).to.equal(lines.length - mine.length);
        const groups = by.length === 0 ? new Map<string, Line[]>() : grouped(mine, by);
        const counted = rows.map((row) => [JSON.stringify(by.map((name) => row.group[name])), flat(row)] as const);
        expect(Object.fromEntries(counted)).to.deep.equal(
          Object.fromEntries([...groups].map(([key, group]) => [key, sumsOf(group)])),
        );
      }
    }
  }
  database.close();
}

function grouped(lines: readonly Line[], by: readonly Dimension[]): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const key = JSON.stringify(by.map((name) => line.group[name]));
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return groups;
}

/** Returns all sums by name, without zeros. */
function flat(sums: ReturnType<typeof report>['total']): Record<string, number> {
  const { fills, noFills, languages, impressions, views, clicks, ignored, spendMicros } = sums;
  const named = (prefix: string, counts: object) =>
    Object.entries(counts).map(([name, times]) => [`${prefix}.${name}`, times]);
  const all = Object.entries({ fills, impressions, views, clicks, micros: Number(spendMicros) });
  const byLanguage = Object.entries(languages).flatMap(([told, counts]) => named(told, counts));
  const reasons = [...named('noFills', noFills), ...named('ignored', ignored), ...byLanguage];
  const some = [...all, ...reasons].filter(([, times]) => times !== 0);
  return Object.fromEntries(some) as Record<string, number>;
}

function sumsOf(lines: readonly Line[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { what, inLanguage, micros } of lines) {
    for (const name of [what, inLanguage]) if (name !== null) sums[name] = (sums[name] ?? 0) + 1;
    if (micros > 0) sums['micros'] = (sums['micros'] ?? 0) + micros;
  }
  return sums;
}

/** Checks that the roll-ups of every grain and the bills equal the sums of the stored events. */
function compareWithRawEvents(file: string): void {
  const database = new Sqlite(file, { readonly: true });
  for (const { grain, detail } of ROLL_UPS) {
    const names = ['test', ...DETAILS[detail]].join();
    const raw = database.prepare(
      `select ${names}, kind, reason, count(*) as times, sum(price_micros) as micros
       from events join dimension_sets using (dimension_set) group by ${names}, kind, reason order by ${names}, kind, reason`,
    );
    const rolledUp = database.prepare(
      `select ${names}, counted as kind, reason, sum(times) as times, sum(micros) as micros
       from counters join dimension_sets using (dimension_set)
       where grain = ? and counted <> 'decision' and reason in ('', 'test')
       group by ${names}, counted, reason order by ${names}, counted, reason`,
    );
    expect(rolledUp.all(grain), grain).to.deep.equal(raw.all());
  }
  const owed = 'select month, advertiser, campaign, creative, kind, price_micros,';
  const billed = database.prepare(
    `${owed} sum(times) as times from billed join dimension_sets using (dimension_set) group by 1, 2, 3, 4, 5, 6`,
  );
  const raw = database.prepare(
    `${owed} count(*) as times from events join dimension_sets using (dimension_set) where price_micros > 0
     group by 1, 2, 3, 4, 5, 6`,
  );
  expect(billed.all()).to.deep.equal(raw.all());
  database.close();
}

/** Checks that a rebuild restores lost or damaged roll-ups. */
function compareWithRebuilt(file: string): void {
  const database = openForWriting({ file }, 0);
  const before = allSums(database);
  execute(database, "delete from counters where grain <> 'minute' and dimension_set % 2 = 0; delete from billed");
  execute(database, "update counters set times = times + 1 where grain <> 'minute'; update spend set micros = 1");
  rebuildRollUps(database, basis.timeZone);
  expect(allSums(database)).to.deep.equal(before);
  database.close();
}
