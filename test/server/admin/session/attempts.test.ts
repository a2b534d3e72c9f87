import { expect } from 'chai';
import { createAttempts } from '../../../../server/admin/session/attempts.js';

describe('failed sign-ins', () => {
  /** Fails as often as each address may. @returns how often that was */
  const failAll = (attempts: ReturnType<typeof createAttempts>, addresses: readonly string[]): number => {
    let failures = 0;
    for (const address of addresses) {
      for (; attempts.waitSeconds(address) === 0; failures++) attempts.failed(address);
    }
    return failures;
  };
  const networks = Array.from({ length: 300 }, (_, network) => `2001:db8:1:${network.toString(16)}::1`);

  it('are limited to ten per address within five minutes', () => {
    let now = Date.parse('2026-11-29T12:00:00Z');
    const attempts = createAttempts(() => now);
    expect(failAll(attempts, ['203.0.113.7', '203.0.113.7', '203.0.113.8'])).to.equal(20);
    expect(attempts.waitSeconds('203.0.113.7')).to.equal(300);
    now += 300_000;
    expect(failAll(attempts, ['203.0.113.7'])).to.equal(10);
  });

  it('are limited to a hundred for all 65,536 networks of an IPv6 site', () => {
    let now = Date.parse('2026-11-29T12:00:00Z');
    const attempts = createAttempts(() => now);
    expect(failAll(attempts, networks)).to.equal(100);
    expect(attempts.waitSeconds('2001:db8:1:ffff::1')).to.equal(300);
    expect(attempts.waitSeconds('2001:db8:2:ffff::1')).to.equal(0);
    now += 300_000;
    expect(failAll(attempts, networks)).to.equal(100);
  });
});
