import { expect } from 'chai';
import fc from 'fast-check';
import { readDuration, readInstant, readMomentOrDuration } from '../../../platform/time/moment.js';

describe('the time given in an option', () => {
  const read = (text: string, zone = 'UTC') => {
    const at = readMomentOrDuration(text, zone, 0);
    return at === undefined ? undefined : new Date(at).toISOString();
  };

  it('is a date-time, a date in the time zone or a duration', () => {
    expect(read('2027-03-01T12:00:00+02:00')).to.equal('2027-03-01T10:00:00.000Z');
    expect(read('2027-03-01 12:00:00.25z')).to.equal('2027-03-01T12:00:00.250Z');
    expect(read('2027-03-01T12:00Z')).to.equal('2027-03-01T12:00:00.000Z');
    expect(read('2027-03-01', 'Europe/Berlin')).to.equal('2027-02-28T23:00:00.000Z');
    expect(read('2027-07-01', 'America/New_York')).to.equal('2027-07-01T04:00:00.000Z');
    expect(read('2027-03-28', 'Europe/Berlin')).to.equal('2027-03-27T23:00:00.000Z');
    expect(read('90d')).to.equal('1970-04-01T00:00:00.000Z');
  });

  it('is refused in any other form', () => {
    const dates = ['2027-02-30', '2027-13-01', '2027-02-30T12:00:00Z', '2027-03-01T24:00:00Z', '2027-03-01T12:60:00Z'];
    const leapSecond = '2016-12-31T23:59:60Z';
    const others = ['', 'soon', '12:00', '1w', '2027-03-01T12:00:00', '20270301T120000Z', '2027-03-01T12:00+25:00'];
    for (const text of [...dates, leapSecond, ...others]) expect(read(text), text).to.equal(undefined);
  });

  it('is parsed from the platform’s output for any moment', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        expect(readInstant(date.toISOString())).to.equal(date.getTime());
      }),
    );
  });

  it('is a duration in seconds, minutes, hours or days', () => {
    const read = ['90s', '30m', '24h', '7d', '0', '1.5h', '-1h', '1000000h'].map(readDuration);
    expect(read).to.deep.equal([90_000, 1_800_000, 86_400_000, 604_800_000, 0, undefined, undefined, undefined]);
  });
});
