import { expect } from 'chai';
import { createClickRates, createShownRates } from '../../../../server/campaigns/budgets/observed-rates.js';
import { createReservations, type Reservations } from '../../../../server/campaigns/budgets/reservations.js';

const SECOND = 1000;
const MINUTE = 60_000;
const start = Date.UTC(2026, 10, 22);
/** 100 micros per impression. */
const CPM = { model: 'cpm', micros: 100_000 } as const;
const CPC = { model: 'cpc', micros: 100_000 } as const;

describe('reservations', () => {
  let reservations: Reservations;
  let clicks: ReturnType<typeof createClickRates>;
  beforeEach(() => {
    clicks = createClickRates();
    reservations = createReservations(createShownRates(), clicks);
  });
  const ad = (issuedAt = start, creative = 'c', publisher = 'Chat') => ({ publisher, creative, issuedAt });
  const expected = (at = start, account = 'a'): number => {
    const { own, others } = reservations.expected(account, 'Chat', at);
    return Math.round(others.reduce((sum, micros) => sum + micros, own));
  };

  it('hold an ad’s expected cost for two minutes, a fiftieth of its price for twenty, and then nothing', () => {
    reservations.add('a', ad(), CPM, []);
    const minutes = [0, 1.9, 2, 19.9, 20];
    // The prior: nine of ten ads are shown.
    expect(minutes.map((minute) => expected(start + minute * MINUTE))).to.deep.equal([90, 90, 2, 2, 0]);
    expect(reservations.size).to.equal(0);
  });

  it('hold the expected cost of clicks for an ad priced per click, shown or not', () => {
    for (let each = 0; each < 100; each++) reservations.add('a', ad(start + each), CPC, []);
    expect(expected(start + 100)).to.equal(90_000);
    for (let each = 0; each < 50; each++) reservations.recordImpression(ad(start + each));
    // A shown ad is clicked once in a hundred times; the observed shown rate is now above the prior.
    expect(expected(start + 100)).to.be.within(98_000, 99_000);
    reservations.recordClick(ad(start));
    expect(reservations.size).to.equal(99);
    for (let shown = 0; shown < 1000; shown++) clicks.recordImpression('a');
    expect(expected(start + 100)).to.be.below(20_000);
  });

  it('release a paid ad once, and identify ads by publisher, creative and time', () => {
    for (const each of [ad(), ad(), ad(start + 1), ad(start, 'd'), ad(start, 'c', 'Other')])
      reservations.add('a', each, CPM, []);
    for (const again of [1, 2, 3]) {
      reservations.recordImpression(ad());
      expect(reservations.size).to.equal(Math.max(3, 5 - again));
    }
    reservations.recordImpression(ad(start - 1));
    reservations.recordClick(ad(start + 1));
    expect(reservations.size).to.equal(3);
    for (const each of [ad(start + 1), ad(start, 'd'), ad(start, 'c', 'Other')]) reservations.recordImpression(each);
    expect([reservations.size, expected()]).to.deep.equal([0, 0]);
  });

  it('expect fewer impressions from a publisher whose ads are not shown, but not from others', () => {
    for (let each = 0; each < 200; each++) reservations.add('a', ad(start + each), CPM, []);
    expect(expected(start + SECOND)).to.equal(200 * 90);
    const later = start + 3 * MINUTE;
    expect(expected(later)).to.equal(200 * 2);
    reservations.add('b', ad(later), CPM, []);
    reservations.add('b', ad(later, 'c', 'Other'), CPM, []);
    // 18 of 20 by the prior, none of 200 observed.
    expect(expected(later, 'b')).to.equal(Math.round((100 * 18) / 220) + 90);
  });

  it('expect late impressions from a publisher that shows ads late', () => {
    for (let each = 0; each < 500; each++) reservations.add('a', ad(start + each), CPM, []);
    const later = start + 3 * MINUTE;
    expect(expected(later)).to.equal(500 * 2);
    for (let each = 0; each < 250; each++) reservations.recordImpression(ad(start + each));
    expect(expected(later)).to.be.above(250 * 80);
  });

  it('do not count an ad shown in time as never shown, even if it is not clicked', () => {
    for (let each = 0; each < 500; each++) {
      reservations.add('a', ad(start + each), CPC, []);
      reservations.recordImpression(ad(start + each));
    }
    const later = start + 25 * MINUTE;
    expect([expected(later), reservations.size]).to.deep.equal([0, 0]);
    reservations.add('b', ad(later), CPM, []);
    expect(expected(later + 3 * MINUTE, 'b')).to.equal(2);
  });

  it('return what a session, address or publisher holds', () => {
    reservations.add('a', ad(), CPM, ['session', 'address']);
    reservations.add('a', ad(start, 'd'), CPM, ['address']);
    reservations.add('a', ad(start, 'd', 'Other'), CPM, []);
    const held = () => [
      ...['session', 'address', 'nobody'].map((holder) => reservations.heldBy('a', holder, 'Chat')),
      reservations.heldByPublisher('a', 'Chat'),
    ];
    expect(held()).to.deep.equal([90, 180, 0, 180]);
    expected(start + 2 * MINUTE);
    expect(held()).to.deep.equal([2, 4, 0, 4]);
  });

  it('let no publisher hold more by showing its ads late instead of in time', () => {
    for (let each = 0; each < 500; each++) reservations.add('a', ad(start + each), CPM, []);
    const later = start + 3 * MINUTE;
    expected(later);
    for (let each = 0; each < 500; each++) reservations.recordImpression(ad(start + each));
    reservations.add('b', ad(later), CPM, []);
    // Few of its ads are shown in time, but nearly all of the others are later.
    expect(expected(later, 'b')).to.be.below(10);
    expect(reservations.heldByPublisher('b', 'Chat')).to.be.above(90);
  });

  it('continue to expire when the clock is set back, and not early when decisions overlap', () => {
    for (let each = 0; each < 100; each++) {
      reservations.add('a', ad(start + SECOND), CPM, []);
      expected(start);
    }
    expect(expected(start + SECOND)).to.equal(9000);
    const back = start - 24 * 60 * MINUTE;
    reservations.add('a', ad(back), CPM, []);
    expect(expected(back + 20 * MINUTE)).to.equal(0);
  });

  it('drop the oldest ads above their limit', () => {
    reservations = createReservations(createShownRates(), clicks, 1000);
    for (let each = 0; each < 5000; each++) reservations.add('a', ad(start + each), CPM, []);
    expect([reservations.size, expected(start + 5000)]).to.deep.equal([1000, 90_000]);
  });
});
