import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ad } from '../../../models/schema/ad.js';
import { API } from '../../../server/domain/urls.js';
import type { CountEvent } from '../../../server/events/count-event.js';
import { LedgerUnavailableError } from '../../../server/ledger/tables/ledger.js';
import { eventually } from '../../support/eventually.js';
import { DAY } from '../../../platform/time/durations.js';
import { boots, startService, type Service } from './service.js';

describe('beacon and target over HTTP', () => {
  let service: Service;
  let now = Date.now();
  before(async () => void (service = await startService({ clock: () => now })));
  after(() => service.close());

  const ad = async () => (await (await service.match({ context: 'x' })).json()) as Ad;
  const events = (kind: string, outcome: string) =>
    service.metric(`adjacent_events_total{kind="${kind}",outcome="${outcome}"}`);
  /** Expects exactly one event. A click may be redirected before the ledger has stored it. */
  const expectCounted = async (kind: string, outcome: string, happen: () => Promise<unknown>): Promise<void> => {
    const before = await events(kind, outcome);
    await happen();
    await eventually(async () => expect(await events(kind, outcome)).to.equal(before + 1));
  };
  const follow = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

  const expectPixel = async (response: Response) => {
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('image/gif');
    expect(response.headers.get('cache-control')).to.equal('no-store');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.toString('latin1', 0, 6)).to.equal('GIF89a');
    expect([bytes.readUInt16LE(6), bytes.readUInt16LE(8)]).to.deep.equal([1, 1]);
    // Bit 0 of the flags in the graphic control extension: a transparent colour is set.
    expect((bytes[bytes.indexOf(Buffer.of(0x21, 0xf9)) + 3] ?? 0) & 1).to.equal(1);
  };
  const expectRedirectToBoots = (response: Response) => {
    expect(response.status).to.equal(302);
    expect(response.headers.get('location')).to.equal(boots.landingUrl);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.get('referrer-policy')).to.equal('no-referrer');
  };

  it('records an impression when the pixel is loaded, once per ad', async () => {
    const { impressionUrl } = await ad();
    await expectCounted('impression', 'counted', async () => expectPixel(await follow(impressionUrl)));
    await expectCounted('impression', 'repeated', async () => expectPixel(await follow(impressionUrl)));
  });

  it('records a view with event=view', async () => {
    const { impressionUrl } = await ad();
    await expectCounted('view', 'counted', async () => expectPixel(await follow(`${impressionUrl}&event=view`)));
  });

  it('leaves no timer behind after a redirected click', async () => {
    // Timers of fetch and of the server are few, and do not grow with the clicks.
    const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const { targetUrl } = await ad();
    await follow(targetUrl);
    const before = timers();
    await Promise.all(Array.from({ length: 50 }, () => follow(targetUrl)));
    expect(timers() - before).to.be.lessThan(25);
  });

  it('returns the pixel without a request id, with a forged one and with an expired one', async () => {
    await expectCounted('impression', 'missing', async () => expectPixel(await service.api('/beacon')));
    await expectCounted('impression', 'invalid', async () => expectPixel(await service.api('/beacon?requestId=x')));
    const { impressionUrl } = await ad();
    now += DAY + 1;
    await expectCounted('impression', 'expired', async () => expectPixel(await follow(impressionUrl)));
  });

  it('returns the pixel for a malformed query', async () => {
    for (const query of [
      '?requestId=%E0%A4%A',
      '?requestId=a&requestId=b',
      '?=&&=',
      `?requestId=${'x'.repeat(9000)}`,
    ]) {
      await expectPixel(await service.api(`/beacon${query}`));
    }
  });

  it('answers HEAD on the beacon like GET, and counts it as ignored', async () => {
    const { impressionUrl } = await ad();
    await expectCounted('impression', 'head', async () => {
      const response = await follow(impressionUrl, { method: 'HEAD' });
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('image/gif');
      expect(response.headers.get('content-length')).to.equal('42');
    });
    await expectCounted('impression', 'counted', async () => follow(impressionUrl));
  });

  it('sends the same headers, log line and metric on the fast path as through the router', async () => {
    const quick = await follow(`${service.baseUrl}${API}/beacon`);
    // The router also accepts a trailing slash, which the fast path does not handle.
    const usual = await follow(`${service.baseUrl}${API}/beacon/`);
    const headersOf = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => name !== 'date'));
    expect(headersOf(quick)).to.deep.equal(headersOf(usual));
    expect(quick.headers.get('access-control-allow-origin')).to.equal('*');
    const lines = service.logged.filter(({ msg }) => msg === 'request').slice(-2);
    const shown = lines.map(({ method, route, status }) => `${String(method)} ${String(route)} ${String(status)}`);
    expect(shown).to.deep.equal([`GET ${API}/beacon 200`, `GET ${API}/beacon 200`]);
    const label = `method="GET",route="${API}/beacon",status="200"`;
    const measured = await service.metric(`adjacent_request_seconds_count{${label}}`);
    expect(measured).to.be.above(1);
  });

  it('redirects to the landing page and records a click, once per ad', async () => {
    const { targetUrl } = await ad();
    await expectCounted('click', 'counted', async () => expectRedirectToBoots(await follow(targetUrl)));
    await expectCounted('click', 'repeated', async () => expectRedirectToBoots(await follow(targetUrl)));
  });

  it('redirects without a request id, with a forged one and with an expired one, and bills nothing', async () => {
    const path = `/target/${boots.id}`;
    await expectCounted('click', 'missing', async () => expectRedirectToBoots(await service.api(path)));
    const forged = `${path}?requestId=AAAA`;
    await expectCounted('click', 'invalid', async () => expectRedirectToBoots(await service.api(forged)));
    const { targetUrl } = await ad();
    now += 30 * DAY + 1;
    await expectCounted('click', 'expired', async () => expectRedirectToBoots(await follow(targetUrl)));
  });

  it('answers HEAD on the target like GET, and counts it as ignored', async () => {
    const { targetUrl } = await ad();
    await expectCounted('click', 'head', async () =>
      expectRedirectToBoots(await follow(targetUrl, { method: 'HEAD' })),
    );
  });

  describe('for an ad served by another node', () => {
    const known = new Map<string, string>();
    let asked = 0;
    let learn: () => boolean;
    let node: Service;
    before(async () => {
      const catchUp = { landingUrls: async () => (asked++, learn()), image: async () => (asked++, learn()) };
      const creatives = { landingUrl: (id: string) => known.get(id) ?? null };
      node = await startService({ creatives, catchUp });
    });
    after(() => node.close());
    beforeEach(() => {
      known.clear();
      asked = 0;
    });
    const targetUrl = async () => ((await (await node.match({ context: 'x' })).json()) as Ad).targetUrl;
    const counted = () => node.metric('adjacent_events_total{kind="click",outcome="counted"}');

    it('looks up the landing URL and counts the click', async () => {
      learn = () => known.set(boots.id, boots.landingUrl).size > 0;
      const url = await targetUrl();
      expectRedirectToBoots(await follow(url));
      expectRedirectToBoots(await follow(await targetUrl()));
      expect([asked, await counted()]).to.deep.equal([1, 2]);
    });

    it('returns 503 with Retry-After when the look-up takes too long, and counts nothing', async () => {
      learn = () => false;
      const before = await counted();
      const response = await follow(await targetUrl());
      expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(await response.json()).to.deep.equal({ error: 'this ad is not known here yet; try again shortly' });
      expect(await counted()).to.equal(before);
    });

    it('returns 404 when no node knows the creative any more', async () => {
      learn = () => true;
      expect((await follow(await targetUrl())).status).to.equal(404);
      expect(asked).to.equal(1);
    });

    it('looks nothing up for a request id that is forged, missing or of another creative', async () => {
      learn = () => false;
      const url = await targetUrl();
      const others = [`${url.slice(0, -6)}AAAAAA`, url.replace(/\?.*/, ''), url.replace(boots.id, 'other-1')];
      for (const other of others) expect((await follow(other)).status, other).to.equal(404);
      expect(asked).to.equal(0);
    });

    it('fetches a missing image, and returns 503 when it does not arrive in time', async () => {
      const image = `/images/${'cd'.repeat(32)}.png`;
      learn = () => false;
      const late = await node.api(image);
      expect([late.status, late.headers.get('retry-after')]).to.deep.equal([503, '1']);
      learn = () => true;
      expect((await node.api(image)).status).to.equal(404);
      learn = () => (writeFileSync(join(node.dataDir, image), 'picture'), true);
      const there = await node.api(image);
      expect([there.status, there.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
      expect((await node.api('/images/x.png')).status).to.equal(404);
      expect(asked).to.equal(3);
    });
  });

  it('returns 404 {error} for an unknown creative, and never redirects to a URL from the request', async () => {
    for (const path of [
      '/target/nope',
      '/target/https%3A%2F%2Fevil.example',
      '/target/%2e%2e%2fboots-1',
      '/target/%E0%A4%A',
    ]) {
      const response = await service.api(path);
      expect(response.status, path).to.equal(404);
      expect(await response.json()).to.have.all.keys('error');
      expect(response.headers.get('location')).to.equal(null);
    }
  });
});

describe('beacon and target when the ledger cannot store', () => {
  let service: Service;
  let countEvent: CountEvent;
  before(async () => void (service = await startService({ countEvent: (...event) => countEvent(...event) })));
  after(() => service.close());

  it('return 503 with Retry-After for the beacon, so that a client may retry', async () => {
    countEvent = () => Promise.reject(new LedgerUnavailableError(new Error('disk full')));
    const response = await service.api('/beacon?requestId=x');
    expect(response.status).to.equal(503);
    const always = ['access-control-allow-origin', 'cross-origin-resource-policy', 'content-security-policy'];
    expect(always.map((name) => response.headers.has(name))).to.deep.equal([true, true, true]);
    expect(response.headers.get('retry-after')).to.equal('1');
    expect(await response.json()).to.have.all.keys('error');
  });

  it('redirect a click that the ledger is slow to store, and count it once it is stored', async () => {
    let stored = false;
    let store = (): void => undefined;
    countEvent = () =>
      new Promise((resolve) => {
        store = () => {
          stored = true;
          resolve({ counted: true, priceMicros: 0 });
        };
      });
    const before = await service.metric('adjacent_events_total{kind="click",outcome="counted"}');
    const response = await service.api(`/target/${boots.id}?requestId=x`);
    expect(response.status).to.equal(302);
    expect(stored).to.equal(false);
    store();
    await eventually(async () =>
      expect(await service.metric('adjacent_events_total{kind="click",outcome="counted"}')).to.equal(before + 1),
    );
  });

  it('redirect a click that the ledger fails to store', async () => {
    countEvent = async () => {
      await pause(1);
      throw new Error('broken');
    };
    expect((await service.api(`/target/${boots.id}`)).status).to.equal(302);
    expect(JSON.stringify(service.logged)).to.include('a click was not counted');
  });
});
