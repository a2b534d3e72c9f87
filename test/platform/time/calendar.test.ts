import { expect } from 'chai';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { checkRow } from '../../../indexer/feed/check-row.js';
import { addDays, canonicalTimeZone, createCalendar, daysBetween, isDate } from '../../../platform/time/calendar.js';
import { parseNewKey } from '../../../server/keys/new-key.js';
import { readPeriod } from '../../../server/reports/period.js';
import { feedRow } from '../../support/feed.js';

const ZONES = Intl.supportedValuesOf('timeZone');
const HOUR = 3_600_000;
const [FIRST, LAST] = [Date.UTC(1990, 0, 1), Date.UTC(2037, 11, 31)];

/** Returns every clock change of a zone within the years that catalogues and ledgers may cover. */
function changesOf(timeZone: string): number[] {
  const changes: number[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(FIRST).toZonedDateTimeISO(timeZone).getTimeZoneTransition('next');
  for (; at && at.epochMilliseconds < LAST; at = at.getTimeZoneTransition('next')) changes.push(at.epochMilliseconds);
  return changes;
}

/** Returns the date according to the platform's own formatter. */
function formatter(timeZone: string): (moment: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (moment) => format.format(moment);
}

describe('the calendar of a time zone', function () {
  this.timeout(120_000);

  it('has the platform’s date around every clock change in every zone', () => {
    for (const zone of ZONES) {
      const [calendar, shown] = [createCalendar(zone), formatter(zone)];
      for (const change of changesOf(zone)) {
        for (const moment of [change - HOUR, change - 1, change, change + 1, change + HOUR]) {
          expect(calendar.dateOf(moment), `${zone} ${moment}`).to.equal(shown(moment));
        }
      }
    }
  });

  it('begins a day at its first moment on every day of a clock change in every zone', () => {
    for (const zone of ZONES) {
      const calendar = createCalendar(zone);
      // Until 2011, Newfoundland and Labrador put clocks back from 00:01 to 23:01: a day that is interrupted by the one
      // before.
      const isInterrupted = (change: number) => calendar.dateOf(change) < calendar.dateOf(change - 1);
      for (const change of changesOf(zone).filter((each) => !isInterrupted(each))) {
        for (const moment of [change - 1, change, change + 24 * HOUR]) {
          const { date, start, end } = calendar.dayOf(moment);
          const what = `${zone} ${date}`;
          expect(date, what).to.equal(calendar.dateOf(moment));
          expect(start <= moment && moment < end, what).to.equal(true);
          expect(calendar.startOf(date), what).to.equal(start);
          expect(calendar.dateOf(start), what).to.equal(date);
          expect(calendar.dateOf(start - 1) < date, what).to.equal(true);
          expect(calendar.dateOf(end - 1) >= date && calendar.dateOf(end) > date, what).to.equal(true);
        }
      }
    }
  });

  it('agrees with the platform at any moment of any zone', () => {
    const zone = fc.constantFrom(...ZONES);
    fc.assert(
      fc.property(zone, fc.integer({ min: Date.UTC(2012, 0, 1), max: LAST }), (timeZone, moment) => {
        const calendar = createCalendar(timeZone);
        const { date, start, end } = calendar.dayOf(moment);
        expect(date).to.equal(formatter(timeZone)(moment));
        expect(start <= moment && moment < end).to.equal(true);
        const hour = calendar.hourOf(moment);
        expect(hour.slice(0, 10)).to.equal(date);
        expect(Date.parse(hour)).to.be.within(moment - HOUR + 1, moment);
      }),
      { numRuns: 500 },
    );
  });

  it('is the same in a feed, a command and a report', async () => {
    const odd = ['America/Santiago', 'Africa/Cairo', 'Asia/Beirut', 'America/Havana', 'Asia/Tehran', 'Pacific/Apia'];
    const cases = [...odd, ...fc.sample(fc.constantFrom(...ZONES), 40)].flatMap((zone) =>
      changesOf(zone).map((change) => ({ zone, date: createCalendar(zone).dateOf(change) })),
    );
    for (const { zone, date } of cases.filter(({ date }) => date > '2020')) {
      const rules = { folder: '.', timeZone: zone, currency: 'USD', now: 0 };
      const row = await checkRow(feedRow('a', { startsAt: date }), rules);
      const typed = { publisher: 'P', test: false, origins: [], requestsPerMinute: undefined, expires: date };
      const key = parseNewKey(typed, zone, 0);
      const { from } = readPeriod(date, undefined, createCalendar(zone));
      const start = new Date(createCalendar(zone).startOf(date)).toISOString();
      expect('creative' in row && row.creative.startsAt, `${zone} ${date}`).to.equal(start);
      expect(new Date(key.expiresAt!).toISOString()).to.equal(start);
      expect(new Date(from!).toISOString()).to.equal(start);
    }
  });

  it('starts a day without a midnight at its first moment', () => {
    const starts = [
      ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
      ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
      ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
      // Midnight occurs twice.
      ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
      // The day was skipped altogether.
      ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ] as const;
    for (const [date, zone, start] of starts) {
      expect(new Date(createCalendar(zone).startOf(date)).toISOString(), `${date} ${zone}`).to.equal(start);
    }
  });

  it('distinguishes the two hours that repeat at the end of summer time', () => {
    const { hourOf } = createCalendar('Europe/Berlin');
    expect(hourOf(Date.UTC(2026, 9, 25, 0, 30))).to.equal('2026-10-25T02:00+02:00');
    expect(hourOf(Date.UTC(2026, 9, 25, 1, 30))).to.equal('2026-10-25T02:00+01:00');
    expect(createCalendar('UTC').hourOf(0)).to.equal('1970-01-01T00:00+00:00');
    expect(createCalendar('Asia/Kolkata').hourOf(0)).to.equal('1970-01-01T05:00+05:30');
  });

  it('refuses a time zone unknown to the platform', () => {
    expect(() => createCalendar('Mars/Olympus')).to.throw(RangeError);
    expect(canonicalTimeZone('Mars/Olympus')).to.equal(undefined);
    expect(canonicalTimeZone('+05:17')).to.equal(undefined);
    expect(canonicalTimeZone('europe/berlin')).to.equal('Europe/Berlin');
  });
});

describe('a date', () => {
  it('must exist and have the form that feeds and commands use', () => {
    for (const date of ['2026-11-21', '2024-02-29']) expect(isDate(date), date).to.equal(true);
    for (const text of ['2026-02-29', '2026-13-01', '2026-11-31', '20261121', '2026-11-21T00:00Z', '']) {
      expect(isDate(text), text).to.equal(false);
    }
  });

  it('can be moved forwards and backwards by days', () => {
    expect(addDays('2026-11-30', 1)).to.equal('2026-12-01');
    expect(addDays('2024-03-01', -1)).to.equal('2024-02-29');
    fc.assert(
      fc.property(fc.integer({ min: -5000, max: 5000 }), (days) => {
        expect(daysBetween('2026-11-21', addDays('2026-11-21', days))).to.equal(days);
      }),
    );
  });
});
