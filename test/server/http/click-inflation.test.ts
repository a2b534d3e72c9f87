import { expect } from 'chai';
import { request } from 'node:http';
import type { Ad } from '../../../models/schema/ad.js';
import type { Decide } from '../../../server/domain/decision.js';
import { createAddressRates } from '../../../server/events/address-rates.js';
import { createRapidClicks } from '../../../server/events/rapid-clicks.js';
import { createRecentImpressions } from '../../../server/events/recent-impressions.js';
import { eventually } from '../../support/eventually.js';
import { boots, startService, type Service } from './service.js';

const cpm = { ...boots, pricing: { model: 'cpm' as const, micros: 2_000_000 } };
const answerCpm: Decide = async () => ({ filled: true, creative: cpm, score: 0.9 });

describe('billed clicks', () => {
  let service: Service;
  let elapsed: number;
  beforeEach(async () => {
    elapsed = 0;
    const judging = {
      rapidClicks: createRapidClicks(),
      clickRates: createAddressRates({ perHour: 12, burst: 3 }),
      recentImpressions: createRecentImpressions(() => elapsed),
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
  /** A click may be redirected before the ledger has stored it. */
  const expectOutcomes = (expected: Readonly<Record<string, number>>) =>
    eventually(async () => {
      const found = await Promise.all(Object.keys(expected).map(async (outcome) => [outcome, await clicks(outcome)]));
      expect(Object.fromEntries(found)).to.deep.equal(expected);
    });

  it('count once when several come at once from an address, whatever browsers and proxies they name', async () => {
    for (let time = 0; time < 9; time++) {
      const address = `203.0.113.${time}`;
      await click(await shown(), {
        'user-agent': `Browser ${time}`,
        'x-forwarded-for': address,
        forwarded: `for=${address}`,
      });
    }
    await expectOutcomes({ counted: 1, rapid: 8 });
  });

  it('are redirected but not billed without an impression, and billed once it has arrived', async () => {
    const unseen = await ad();
    await click(unseen);
    await expectOutcomes({ counted: 0, 'no-impression': 1 });
    await fetch(unseen.impressionUrl);
    elapsed += 500;
    await click(unseen);
    await click(unseen);
    await expectOutcomes({ counted: 1, repeated: 1 });
  });

  it('are billed soon after a view, which comes later than the impression', async () => {
    const seen = await shown();
    await fetch(`${seen.impressionUrl}&event=view`);
    await click(seen);
    await expectOutcomes({ counted: 1 });
  });

  it('are not billed after a view without an impression', async () => {
    const unseen = await ad();
    await fetch(`${unseen.impressionUrl}&event=view`);
    elapsed += 1000;
    await click(unseen);
    await expectOutcomes({ 'no-impression': 1 });
  });

  it('are redirected but not billed sooner after the impression than a person can click', async () => {
    const answered = await ad();
    await fetch(answered.impressionUrl);
    await fetch(answered.impressionUrl);
    elapsed += 499;
    await click(answered);
    await expectOutcomes({ counted: 0, 'too-soon': 1 });
    elapsed += 1;
    // A repeated impression does not restart the time.
    await fetch(answered.impressionUrl);
    await click(answered);
    await expectOutcomes({ counted: 1 });
  });
});

describe('clicks of one address on many creatives', () => {
  it("count up to the address's limit", async () => {
    const rates = createAddressRates({ perHour: 12, burst: 3 });
    const service = await startService({ judging: { clickRates: rates } });
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

describe('a browser key', () => {
  const CHROME =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';
  const picture = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  const link = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    'sec-fetch-user': '?1',
  };
  let service: Service;
  beforeEach(async () => void (service = await startService()));
  afterEach(() => service.close());

  const adOf = async (key: string) => {
    const ask = () => service.match({ context: 'x' }, { 'x-api-key': key });
    await eventually(async () => expect((await ask()).status).to.equal(200));
    return (await (await ask()).json()) as Ad;
  };
  const outcomes = async (kind: string, ...names: string[]) =>
    Promise.all(names.map((outcome) => service.metric(`adjacent_events_total{kind="${kind}",outcome="${outcome}"}`)));
  // Not the global fetch, which sets such headers itself.
  const get = (url: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      request(url, { headers }, (response) => resolve(response.resume().statusCode!))
        .on('error', reject)
        .end();
    });

  it('has fetches by scripts and libraries answered but ignored, and fetches by a page counted', async () => {
    const { impressionUrl, targetUrl } = await adOf(await service.storeNewKey({ mode: 'browser' }));
    for (const headers of [{}, picture, { 'user-agent': CHROME }, { 'user-agent': 'curl/8.5.0', ...picture }]) {
      expect(await get(impressionUrl, headers)).to.equal(200);
    }
    expect(await get(targetUrl, { 'user-agent': CHROME })).to.equal(302);
    expect(await outcomes('impression', 'counted', 'not-browser')).to.deep.equal([0, 4]);
    expect(await outcomes('click', 'counted', 'not-browser')).to.deep.equal([0, 1]);
    await get(impressionUrl, { 'user-agent': CHROME, ...picture });
    await get(targetUrl, { 'user-agent': CHROME, ...link });
    expect(await outcomes('impression', 'counted')).to.deep.equal([1]);
    await eventually(async () => expect(await outcomes('click', 'counted')).to.deep.equal([1]));
  });

  it('bills no more impressions per address than its limit, while other keys have no limit', async () => {
    const rates = createAddressRates({ perHour: 12, burst: 3 });
    const priced = await startService({ decide: answerCpm, judging: { impressionRates: rates } });
    try {
      const browserKey = await priced.storeNewKey({ mode: 'browser' });
      const ask = (key: string) => priced.match({ context: 'x' }, { 'x-api-key': key });
      await eventually(async () => expect((await ask(browserKey)).status).to.equal(200));
      for (const key of [browserKey, priced.key]) {
        for (let time = 0; time < 5; time++) {
          const { impressionUrl } = (await (await ask(key)).json()) as Ad;
          expect(await get(impressionUrl, { 'user-agent': CHROME, ...picture })).to.equal(200);
        }
      }
      expect(await priced.metric('adjacent_events_total{kind="impression",outcome="counted"}')).to.equal(3 + 5);
      expect(await priced.metric('adjacent_events_total{kind="impression",outcome="too-often"}')).to.equal(2);
    } finally {
      await priced.close();
    }
  });

  it('differs from other keys, whose apps and servers may load beacons', async () => {
    const { impressionUrl, targetUrl } = await adOf(service.key);
    await get(impressionUrl, {});
    await get(targetUrl, { 'user-agent': 'okhttp/4.9.3' });
    expect(await outcomes('impression', 'counted')).to.deep.equal([1]);
    await eventually(async () => expect(await outcomes('click', 'counted')).to.deep.equal([1]));
  });
});

describe('a data-centre address', () => {
  it('has its clicks ignored and its beacons counted', async () => {
    const listed = await startService({ judging: { dataCentres: { has: () => true } } });
    try {
      const ad = (await (await listed.match({ context: 'x' })).json()) as Ad;
      expect((await fetch(ad.impressionUrl)).status).to.equal(200);
      expect((await fetch(ad.targetUrl, { redirect: 'manual' })).status).to.equal(302);
      expect(await listed.metric('adjacent_events_total{kind="impression",outcome="counted"}')).to.equal(1);
      expect(await listed.metric('adjacent_events_total{kind="click",outcome="data-centre"}')).to.equal(1);
    } finally {
      await listed.close();
    }
  });
});

describe('a proxy that TRUST_PROXY does not include', () => {
  const warnings = async (trustProxy: number) => {
    const behind = await startService({ trustProxy });
    try {
      for (let time = 0; time < 3; time++)
        await behind.fetch('/healthz', { headers: { 'x-forwarded-for': '203.0.113.9' } });
      return behind.logged.filter(({ msg }) => String(msg).includes('set TRUST_PROXY'));
    } finally {
      await behind.close();
    }
  };

  it('causes one warning, since all visitors then look like one client', async () => {
    expect(await warnings(0)).to.have.length(1);
    expect(await warnings(1)).to.have.length(0);
  });
});
