import { expect } from 'chai';
import type { Ad } from '../../../models/schema/ad.js';
import { createAddressRates } from '../../../server/events/address-rates.js';
import { createRapidClicks } from '../../../server/events/rapid-clicks.js';
import { createShownAds } from '../../../server/events/shown-ads.js';
import { startService, type Service } from './service.js';

describe('clicks that cost an advertiser money', () => {
  let service: Service;
  let elapsed: number;
  beforeEach(async () => {
    elapsed = 0;
    const judging = {
      rapidClicks: createRapidClicks(),
      addressRates: createAddressRates({ perHour: 12, burst: 3 }),
      shownAds: createShownAds(() => elapsed),
    };
    service = await startService({ judging });
  });
  afterEach(() => service.close());

  const ad = async () => (await (await service.match({ context: 'x' })).json()) as Ad;
  const shown = async (): Promise<Ad> => {
    const answered = await ad();
    await fetch(answered.impressionUrl);
    elapsed += 1000;
    return answered;
  };
  const click = async ({ targetUrl }: Ad, headers: Record<string, string> = {}) => {
    expect((await fetch(targetUrl, { redirect: 'manual', headers })).status).to.equal(302);
  };
  const clicks = (outcome: string) => service.metric(`adjacent_events_total{kind="click",outcome="${outcome}"}`);

  it('are one of those that come at once from an address, whatever browsers and proxies it names', async () => {
    for (let time = 0; time < 9; time++) {
      const address = `203.0.113.${time}`;
      await click(await shown(), { 'user-agent': `Browser ${time}`, 'x-forwarded-for': address, forwarded: `for=${address}` });
    }
    expect([await clicks('counted'), await clicks('rapid')]).to.deep.equal([1, 8]);
  });

  it('lead on but are not charged without an impression, and are once it has come', async () => {
    const unseen = await ad();
    await click(unseen);
    expect([await clicks('counted'), await clicks('no-impression')]).to.deep.equal([0, 1]);
    await fetch(unseen.impressionUrl);
    elapsed += 500;
    await click(unseen);
    await click(unseen);
    expect([await clicks('counted'), await clicks('repeated')]).to.deep.equal([1, 1]);
  });

  it('lead on but are not charged sooner after the impression than a person can', async () => {
    const answered = await ad();
    await fetch(answered.impressionUrl);
    await fetch(answered.impressionUrl);
    elapsed += 499;
    await click(answered);
    expect([await clicks('counted'), await clicks('too-soon')]).to.deep.equal([0, 1]);
    elapsed += 1;
    // A repetition does not begin the time anew.
    await fetch(answered.impressionUrl);
    await click(answered);
    expect(await clicks('counted')).to.equal(1);
  });
});

describe('clicks of one address on many creatives', () => {
  it('count as often as an address may click', async () => {
    const rates = createAddressRates({ perHour: 12, burst: 3 });
    const service = await startService({ judging: { addressRates: rates } });
    try {
      for (let time = 0; time < 5; time++) {
        const { targetUrl } = (await (await service.match({ context: 'x' })).json()) as Ad;
        expect((await fetch(targetUrl, { redirect: 'manual' })).status).to.equal(302);
      }
      expect(await service.metric('adjacent_events_total{kind="click",outcome="too-often"}')).to.equal(2);
    } finally {
      await service.close();
    }
  });
});
