import { expect } from 'chai';
import fc from 'fast-check';
import { createRateLimits } from '../../../server/keys/rate-limits.js';

const key = { keyId: 'key_1', requestsPerMinute: 60 };

describe("a key's requests per minute", () => {
  let now = 0;
  const limits = () => createRateLimits(() => now);
  /** Sends up to this many requests, as far as the limit allows. @returns how many were allowed */
  const ask = (rates: ReturnType<typeof limits>, network: string, times: number): number => {
    let asked = 0;
    for (let time = 0; time < times && rates.waitSeconds(key, from(network)) === 0; time++, asked++)
      rates.count(key, from(network));
    return asked;
  };
  /** A network is its own site, or belongs to the site named before the slash. */
  const from = (network: string) => ({ network, site: network.replace(/\/.*/, '') });

  it('are all available to one client as long as there is no other', () => {
    const rates = limits();
    expect(ask(rates, 'a', 100)).to.equal(60);
    expect(rates.waitSeconds(key, from('a'))).to.equal(60);
    now += 60_000;
    expect(ask(rates, 'a', 100)).to.equal(60);
  });

  it('leave a share to others when one client has used them up', () => {
    const rates = limits();
    ask(rates, 'greedy', 1000);
    expect(ask(rates, 'b', 100)).to.equal(30);
    expect(ask(rates, 'c', 5)).to.equal(5);
    expect(ask(rates, 'greedy', 1)).to.equal(0);
  });

  it('leave a share to others, minute after minute, when one site uses many networks', () => {
    const rates = limits();
    for (let minute = 0; minute < 3; minute++) {
      for (let network = 0; network < 1000; network++) ask(rates, `site/${network}`, 1);
      expect(ask(rates, 'b', 100)).to.equal(5);
      expect(ask(rates, 'c', 100)).to.equal(5);
      now += 60_000;
    }
  });

  it('leave others as much as one site may use, when they are few', () => {
    const few = { ...key, requestsPerMinute: 3 };
    const rates = limits();
    const askFew = (network: string): number => {
      if (rates.waitSeconds(few, from(network)) > 0) return 0;
      rates.count(few, from(network));
      return 1;
    };
    const ofSite = Array.from({ length: 50 }, (_, network) => askFew(`site/${network}`));
    expect(ofSite.reduce((sum, asked) => sum + asked, 0)).to.equal(3);
    expect(['b', 'c', 'd', 'e'].map(askFew)).to.deep.equal([1, 1, 1, 0]);
  });

  it('leave at least one request for each client, however many there are', () => {
    const rates = limits();
    for (let network = 0; network < 80; network++) ask(rates, `n${network}`, 1);
    expect(ask(rates, 'late', 100)).to.equal(1);
  });

  it('remember for a minute how many clients share them', () => {
    const rates = limits();
    for (const network of ['a', 'b', 'c', 'd', 'e', 'f']) ask(rates, network, 1);
    now += 60_000;
    ask(rates, 'greedy', 1000);
    expect(ask(rates, 'a', 100)).to.equal(10);
  });

  it('are given back for requests that could not be served', () => {
    const rates = limits();
    ask(rates, 'a', 60);
    rates.giveBack(key, from('a'));
    expect(ask(rates, 'a', 100)).to.equal(1);
  });

  it('never exceed twice the limit in a minute, and do not stop when the clock is set back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 200, maxLength: 400 }), (networks) => {
        const rates = limits();
        const asked = networks.reduce((sum, network) => sum + ask(rates, String(network), 1), 0);
        expect(asked).to.be.within(60, 120);
      }),
    );
    const rates = limits();
    ask(rates, 'a', 60);
    now -= 3_600_000;
    expect(rates.waitSeconds(key, from('a'))).to.equal(0);
  });
});
