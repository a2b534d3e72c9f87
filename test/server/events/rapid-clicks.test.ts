import { expect } from 'chai';
import { createRapidClicks } from '../../../server/events/rapid-clicks.js';
import { testClaims } from '../../support/test-claims.js';
import { mapEntriesOf } from '../../support/map-entries.js';

const now = Date.UTC(2026, 10, 22);

describe('rapid clicks', () => {
  const click = (address: string | undefined) => ({ address });
  const by = (digest: string, creative = 'mower') => ({ claims: testClaims({ creative }), digest });

  it('come from one address on one creative within five seconds, with another request id', () => {
    const clicks = createRapidClicks();
    expect(clicks.isRapid(click('192.0.2.1'), by('1'), now)).to.equal(false);
    expect(clicks.isRapid(click('192.0.2.1'), by('2'), now + 4999)).to.equal(true);
    expect(clicks.isRapid(click('192.0.2.1'), by('3'), now + 5000)).to.equal(false);
  });

  it('do not include clicks with the same request id, which the ledger counts as repeated', () => {
    const clicks = createRapidClicks();
    for (let time = 0; time < 3; time++) expect(clicks.isRapid(click('192.0.2.1'), by('1'), now)).to.equal(false);
  });

  it('do not include clicks on another creative or from another address', () => {
    const clicks = createRapidClicks();
    clicks.isRapid(click('192.0.2.1'), by('1'), now);
    expect(clicks.isRapid(click('192.0.2.1'), by('2', 'boots'), now)).to.equal(false);
    expect(clicks.isRapid(click('192.0.2.2'), by('3'), now)).to.equal(false);
  });

  it('include those of one IPv6 network, and those whose address is unknown', () => {
    const clicks = createRapidClicks();
    expect(clicks.isRapid(click('2001:db8::1'), by('1'), now)).to.equal(false);
    expect(clicks.isRapid(click('2001:db8::2'), by('2'), now)).to.equal(true);
    expect(clicks.isRapid(click('2001:db8:0:1::1'), by('3'), now)).to.equal(false);
    expect(clicks.isRapid(click(undefined), by('4'), now)).to.equal(false);
    expect(clicks.isRapid(click(''), by('5'), now)).to.equal(true);
  });

  it('are detected for five seconds, even when the clock is set back', () => {
    const clicks = createRapidClicks();
    clicks.isRapid(click('a'), by('1'), now);
    const before = now - 365 * 24 * 3_600_000;
    expect(clicks.isRapid(click('a'), by('2'), before)).to.equal(true);
    expect(clicks.isRapid(click('a'), by('3'), before + 4999)).to.equal(true);
    expect(clicks.isRapid(click('a'), by('4'), before + 5000)).to.equal(false);
  });

  it('are detected without storing addresses, or more clicks than the limit', () => {
    const clicks = createRapidClicks(100);
    const kept = mapEntriesOf(() => {
      for (let client = 0; client < 1000; client++)
        clicks.isRapid(click(`192.0.${client % 4}.${client >> 2}`), by('1'), now);
    });
    expect(clicks.size).to.equal(100);
    expect(kept).to.have.length.above(1000).and.to.not.include('192.0');
    clicks.isRapid(click('192.0.2.1'), by('2'), now + 5000);
    expect(clicks.size).to.equal(1);
  });
});
