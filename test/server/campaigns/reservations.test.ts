import { expect } from 'chai';
import { createReservations } from '../../../server/campaigns/reservations.js';

const MINUTE = 60_000;
const start = Date.UTC(2026, 10, 22);

describe('reservations', () => {
  it('hold the full price of an ad for ten to twenty minutes, then a fiftieth of it for a day', () => {
    const reservations = createReservations();
    reservations.add('a', start, 100);
    const expected = [0, 19, 20, 24 * 60, 24 * 60 + 10].map((minutes) =>
      reservations.expected('a', start + minutes * MINUTE),
    );
    expect(expected).to.deep.equal([100, 100, 2, 2, 0]);
  });

  it('release what was paid, and never more than was held', () => {
    const reservations = createReservations();
    for (let ad = 0; ad < 3; ad++) reservations.add('a', start + ad, 100);
    reservations.release('a', start, 100);
    expect(reservations.expected('a', start)).to.equal(200);
    for (let twice = 0; twice < 5; twice++) reservations.release('a', start, 100);
    reservations.release('a', start - 30 * MINUTE, 100);
    reservations.release('unknown', start, 100);
    expect(reservations.expected('a', start)).to.equal(0);
  });

  it('are held no longer when the clock is put back', () => {
    const reservations = createReservations();
    const year = 365 * 24 * 60 * MINUTE;
    for (const account of ['a', 'b']) reservations.add(account, start + year, 100);
    expect(reservations.expected('a', start)).to.equal(100);
    reservations.release('b', start + year, 100);
    expect(reservations.expected('b', start)).to.equal(0);
    const expected = [0, 19, 20, 24 * 60 + 10].map((minutes) => reservations.expected('a', start + minutes * MINUTE));
    expect(expected).to.deep.equal([100, 100, 2, 0]);
  });

  it('are kept for each span of time, not for each ad', () => {
    const reservations = createReservations();
    for (let minute = 0; minute < 3 * 24 * 60; minute++) {
      for (let ad = 0; ad < 10; ad++) reservations.add('a', start + minute * MINUTE, 1);
    }
    expect(reservations.size).to.be.at.most(145);
  });
});
