import { expect } from 'chai';
import { createAddressRates } from '../../../server/events/address-rates.js';
import { mapEntriesOf } from '../../support/map-entries.js';
import { MINUTE } from '../../../platform/time/durations.js';

const now = Date.UTC(2026, 10, 22);

describe('the share of clicks of an address', () => {
  const taken = (
    rates: ReturnType<typeof createAddressRates>,
    address: string | undefined,
    times: number,
    at: number,
  ) => Array.from({ length: times }, () => rates.take(address, at)).filter(Boolean).length;

  it('is a twelfth of the hourly limit at once, and grows with time', () => {
    const rates = createAddressRates({ perHour: 120 });
    expect(taken(rates, '192.0.2.1', 15, now)).to.equal(10);
    expect(taken(rates, '192.0.2.1', 5, now + MINUTE)).to.equal(2);
    expect(taken(rates, '192.0.2.1', 500, now + 60 * MINUTE)).to.equal(10);
    expect(taken(rates, '192.0.2.2', 1, now)).to.equal(1);
  });

  it('is shared by an IPv6 network, and by all clients whose address is unknown', () => {
    const rates = createAddressRates({ perHour: 12 });
    expect(taken(rates, '2001:db8::1', 1, now)).to.equal(1);
    expect(taken(rates, '2001:db8::abcd', 1, now)).to.equal(0);
    expect(taken(rates, undefined, 1, now)).to.equal(1);
    expect(taken(rates, '', 1, now)).to.equal(0);
  });

  it('is ten times as large for all networks of an IPv6 site', () => {
    const rates = createAddressRates({ perHour: 120 });
    const networks = Array.from({ length: 1000 }, (_, at) => `2001:db8:1:${at.toString(16)}::1`);
    expect(networks.filter((address) => rates.take(address, now))).to.have.length(100);
    expect(rates.take('2001:db8:2::1', now)).to.equal(true);
  });

  it('does not grow when the clock is set back', () => {
    const rates = createAddressRates({ perHour: 12 });
    expect(taken(rates, '192.0.2.1', 1, now)).to.equal(1);
    expect(taken(rates, '192.0.2.1', 1, now - 60 * MINUTE)).to.equal(0);
    expect(taken(rates, '192.0.2.1', 1, now - 55 * MINUTE)).to.equal(1);
  });

  it('is kept without storing addresses, within the limit of entries, and only as long as needed', () => {
    const rates = createAddressRates({ perHour: 120, maxAddresses: 100 });
    const kept = mapEntriesOf(() => {
      for (let client = 0; client < 1000; client++) rates.take(`192.0.${client % 4}.${client >> 2}`, now);
    });
    expect(rates.size).to.equal(100);
    expect(kept).to.have.length.above(1000).and.to.not.include('192.0');
    rates.take('192.0.2.1', now + 5 * MINUTE);
    expect(rates.size).to.equal(1);
  });
});
