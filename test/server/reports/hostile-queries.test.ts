import { expect } from 'chai';
import fc from 'fast-check';
import { createCalendar } from '../../../platform/time/calendar.js';
import { readDuration, readMoment } from '../../../platform/time/moment.js';
import { readPeriod, ReportQueryError } from '../../../server/reports/period.js';
import { dimensionsOf } from '../../../server/reports/report-query.js';
import { anyText } from '../../support/hostile-values.js';

const date = fc
  .tuple(fc.nat({ max: 9999 }), fc.nat({ max: 13 }), fc.nat({ max: 32 }))
  .map(([year, month, day]) =>
    [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-'),
  );
const moment = fc.oneof(
  anyText,
  date,
  fc
    .tuple(date, fc.constantFrom('T00:00Z', 'T24:00Z', ' 12:15:00.000+14:00', 'T23:59:60Z', 't00:45-23:59', '[UTC]'))
    .map(([day, time]) => day + time),
);
const zone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Pacific/Apia', 'Africa/Monrovia');

describe('report queries with arbitrary text', () => {
  it('are refused with a reason, or give a period that ends after its beginning', () => {
    fc.assert(
      fc.property(
        fc.option(moment, { nil: undefined }),
        fc.option(moment, { nil: undefined }),
        zone,
        (from, to, timeZone) => {
          try {
            const period = readPeriod(from, to, createCalendar(timeZone));
            if (period.from !== null && period.to !== null) expect(period.to).to.be.above(period.from);
          } catch (error) {
            expect(error).to.be.instanceOf(ReportQueryError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('have a date and an hour at both ends, also in the first and last year that can be written', () => {
    for (const day of ['0000-01-01', '0001-01-01', '9999-12-31']) {
      for (const timeZone of ['UTC', 'Pacific/Apia', 'America/Sao_Paulo']) {
        const calendar = createCalendar(timeZone);
        const { from, to } = readPeriod(day, day, calendar);
        expect(calendar.startOf(calendar.dateOf(from!))).to.equal(from);
        expect(calendar.startOf(calendar.dateOf(to!))).to.equal(to);
        // Before 1900, clocks showed solar time, so an offset in minutes is not exact.
        if (day > '1900') expect(Date.parse(calendar.hourOf(to!))).to.equal(to);
        expect(calendar.dayOf(to!)).to.include({ start: to });
      }
    }
  });

  it('accept only known dimensions', () => {
    fc.assert(
      fc.property(anyText, (list) => {
        try {
          dimensionsOf(list);
        } catch (error) {
          expect(error).to.be.instanceOf(ReportQueryError);
        }
      }),
    );
  });

  it('give finite moments and durations, or none', () => {
    fc.assert(
      fc.property(moment, zone, (text, timeZone) => {
        expect(readMoment(text, timeZone) ?? 0)
          .to.be.a('number')
          .that.satisfies(Number.isFinite);
        expect(readDuration(text) ?? 0)
          .to.be.a('number')
          .that.satisfies(Number.isFinite);
      }),
      { numRuns: 2000 },
    );
  });
});
