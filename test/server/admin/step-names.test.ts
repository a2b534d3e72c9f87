import { expect } from 'chai';
import { createCalendar } from '../../../platform/time/calendar.js';
import { stepNames } from '../../../server/admin/plots/step-names.js';
import { stepsOf } from '../../../server/admin/query/period.js';

describe('the names of a plot’s hours and days', () => {
  const named = (from: string, to: string, now = '2030-01-01T00:00:00Z') =>
    stepNames(stepsOf({ from, to }, createCalendar('Europe/Berlin'), Date.parse(now)));
  const ticksOf = (...days: Parameters<typeof named>) => named(...days).flatMap(({ tick }) => tick ?? []);

  it('are every fourth hour of a day, also if an hour occurs twice or not at all', () => {
    const usual = ['00:00', '04:00', '08:00', '12:00', '16:00', '20:00'];
    expect(ticksOf('2026-11-21', '2026-11-21')).to.deep.equal(usual);
    expect(ticksOf('2026-10-25', '2026-10-25')).to.deep.equal(usual);
    expect(ticksOf('2026-03-29', '2026-03-29')).to.deep.equal(usual);
    const long = named('2026-10-25', '2026-10-25');
    expect(long.map(({ step }) => step.slice(11, 13)).slice(0, 5)).to.deep.equal(['00', '01', '02', '02', '03']);
    expect(long.slice(1, 5).map(({ at }) => at)).to.deep.equal(['01:00', '02:00 +02:00', '02:00 +01:00', '03:00']);
    expect(long.find(({ tick }) => tick === '12:00')?.step).to.equal('2026-10-25T12:00+01:00');
  });

  it('are fewer hours and the dates of two days', () => {
    const names = named('2026-10-24', '2026-10-25');
    const ticks = ['24 Oct', '08:00', '16:00', '25 Oct', '08:00', '16:00'];
    expect(names.flatMap(({ tick }) => tick ?? [])).to.deep.equal(ticks);
    expect(names[27]?.at).to.equal('25 Oct 02:00 +01:00');
  });

  it('are all hours of a day that has just begun, and some of many days', () => {
    expect(ticksOf('2026-11-21', '2026-11-21', '2026-11-21T01:30:00Z')).to.deep.equal(['00:00', '01:00', '02:00']);
    expect(ticksOf('2026-11-01', '2026-11-30')).to.deep.equal([
      '1 Nov',
      '6 Nov',
      '11 Nov',
      '16 Nov',
      '21 Nov',
      '26 Nov',
    ]);
    expect(stepNames([])).to.deep.equal([]);
  });
});
