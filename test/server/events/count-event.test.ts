import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import type { CountEvent } from '../../../server/events/count-event.js';
import type { TrackedFetch } from '../../../server/events/ignored-reason.js';
import { testCountEvent } from '../../support/test-count-event.js';
import type { ServerLedger } from '../../../server/ledger/server-ledger.js';
import { LedgerUnavailableError, type UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { createRequestIds } from '../../../server/request-id/request-ids.js';
import { createAddressRates } from '../../../server/events/address-rates.js';
import { parseSigningKeys } from '../../../server/domain/signing-key.js';
import { temporaryLedger, type TemporaryLedger } from '../ledger/temporary-ledger.js';
import { testClaims } from '../../support/test-claims.js';
import { HOUR } from '../../../platform/time/durations.js';

const windows = { impressionWindowMs: 24 * HOUR, clickWindowMs: 720 * HOUR };
const issuedAt = Date.UTC(2026, 10, 21, 12);
const requestIds = createRequestIds(parseSigningKeys(randomBytes(32).toString('base64')));
const claims = testClaims({ pricing: { model: 'cpc', micros: 450_000 }, issuedAt });
const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15';

describe('a tracked fetch', () => {
  let temporary: TemporaryLedger;
  let ledger: ServerLedger;
  let countEvent: CountEvent;
  before(async () => {
    temporary = temporaryLedger();
    ledger = await temporary.open();
    countEvent = testCountEvent({ requestIds, ledger, windows });
  });
  after(() => temporary.remove());

  const click = (changes: Partial<TrackedFetch> = {}): TrackedFetch => ({
    kind: 'click',
    requestId: requestIds.issue(claims),
    creativeInPath: 'mower-1',
    method: 'GET',
    headers: { 'user-agent': BROWSER },
    ...changes,
  });
  const reasonOf = async (fetch: TrackedFetch, now = issuedAt): Promise<string> => {
    const outcome = await countEvent(fetch, now);
    return outcome.counted ? 'counted' : outcome.reason;
  };

  it('is counted with its price, and as repeated the second time', async () => {
    const once = click();
    expect(await countEvent(once, issuedAt)).to.deep.equal({ counted: true, priceMicros: 450_000 });
    expect(await countEvent(once, issuedAt + 1)).to.deep.equal({ counted: false, reason: 'repeated' });
  });

  it('is repeated without asking the ledger once the ledger holds it, and never before', async () => {
    const asked: string[] = [];
    let fault: Error | undefined = new LedgerUnavailableError(new Error('the disk is full'));
    const watched: ServerLedger = Object.assign(Object.create(ledger) as ServerLedger, {
      record: async (event: UsageEvent) => {
        asked.push(event.kind);
        if (fault !== undefined) throw fault;
        return ledger.record(event);
      },
    });
    const count = testCountEvent({ requestIds, ledger: watched, windows });
    const beacon = { kind: 'impression', requestId: requestIds.issue(claims), method: 'GET', headers: {} } as const;
    for (let time = 0; time < 2; time++) {
      const refused: unknown = await count(beacon, issuedAt).catch((error: unknown) => error);
      expect(refused).to.equal(fault);
    }
    fault = undefined;
    const first = await Promise.all([count(beacon, issuedAt), count(beacon, issuedAt)]);
    expect(first.filter(({ counted }) => counted)).to.have.length(1);
    for (let time = 0; time < 100; time++) {
      expect(await count(beacon, issuedAt)).to.deep.equal({ counted: false, reason: 'repeated' });
    }
    expect(asked).to.have.length(4);
    expect(await count({ ...beacon, kind: 'view' }, issuedAt)).to.include({ counted: true });
    expect(asked).to.have.length(5);
  });

  it('is counted once per kind, in any order', async () => {
    const requestId = requestIds.issue(claims);
    const beacon = { requestId, method: 'GET', headers: {} };
    expect(await reasonOf(click({ requestId }))).to.equal('counted');
    expect(await reasonOf({ ...beacon, kind: 'view' })).to.equal('counted');
    expect(await reasonOf({ ...beacon, kind: 'impression' })).to.equal('counted');
    expect(await reasonOf({ ...beacon, kind: 'impression' })).to.equal('repeated');
  });

  it('is ignored as missing or invalid without a request id issued here', async () => {
    expect(await reasonOf(click({ requestId: undefined }))).to.equal('missing');
    expect(await reasonOf(click({ requestId: '' }))).to.equal('missing');
    expect(await reasonOf(click({ requestId: 'forged' }))).to.equal('invalid');
    expect(await reasonOf(click({ requestId: ['a', 'b'] as unknown as string }))).to.equal('invalid');
  });

  it('is ignored as head if it is a HEAD request, and can still be counted afterwards', async () => {
    const fetch = click();
    expect(await reasonOf({ ...fetch, method: 'HEAD' })).to.equal('head');
    expect(await reasonOf(fetch)).to.equal('counted');
  });

  it('is ignored as wrong-creative if path and request id disagree', async () => {
    expect(await reasonOf(click({ creativeInPath: 'mower-2' }))).to.equal('wrong-creative');
  });

  it('is ignored as prefetch if the browser marks it as one', async () => {
    const ahead = [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { purpose: 'Preview' },
      { 'x-purpose': 'preview' },
      { 'x-moz': 'prefetch' },
    ];
    for (const headers of ahead)
      expect(await reasonOf(click({ headers })), JSON.stringify(headers)).to.equal('prefetch');
    expect(await reasonOf(click({ headers: { 'sec-purpose': 'something-else' } }))).to.equal('counted');
  });

  it('is ignored as crawler if its user agent says so', async () => {
    const crawlers = [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0 Safari/537.36',
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
      'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'WhatsApp/2.23.20.0',
      'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
      'CCBot/2.0 (https://commoncrawl.org/faq/)',
    ];
    for (const userAgent of crawlers) {
      expect(await reasonOf(click({ headers: { 'user-agent': userAgent } })), userAgent).to.equal('crawler');
    }
  });

  it('is ignored as not-browser if the browser says that a page loaded the target, whatever the key', async () => {
    const fetched = (mode: string, destination?: string) => {
      const headers = { 'user-agent': BROWSER, 'sec-fetch-mode': mode };
      return reasonOf(
        click({ headers: destination === undefined ? headers : { ...headers, 'sec-fetch-dest': destination } }),
      );
    };
    expect(await fetched('no-cors', 'image')).to.equal('not-browser');
    expect(await fetched('cors', 'empty')).to.equal('not-browser');
    expect(await fetched('navigate', 'document')).to.equal('counted');
    expect(await fetched('cors'), 'Node’s fetch').to.equal('counted');
  });

  it('does not use its address’s share of clicks when repeated', async () => {
    const clickRates = createAddressRates({ perHour: 12, burst: 2 });
    const count = testCountEvent({ requestIds, ledger, windows, clickRates });
    const address = '192.0.2.7';
    const first = click({ address });
    expect(await count(first, issuedAt)).to.include({ counted: true });
    for (let time = 0; time < 20; time++) {
      expect(await count(first, issuedAt)).to.deep.equal({ counted: false, reason: 'repeated' });
    }
    expect(await count(click({ address }), issuedAt)).to.include({ counted: true });
    expect(await count(click({ address }), issuedAt)).to.deep.equal({ counted: false, reason: 'too-often' });
    expect(await count(click({ address: '192.0.2.8' }), issuedAt)).to.include({ counted: true });
  });

  it('counts for browsers and for apps that use an HTTP library', async () => {
    const people = [
      BROWSER,
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0',
      'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
      'Mozilla/5.0 (Linux; Android 10; CUBOT X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
      'okhttp/4.9.3',
      'curl/7.88.1',
      'GardenChat/3.4.1 CFNetwork/1410.0.3 Darwin/22.6.0',
    ];
    for (const userAgent of people) {
      expect(await reasonOf(click({ headers: { 'user-agent': userAgent } })), userAgent).to.equal('counted');
    }
    expect(await reasonOf(click({ headers: {} }))).to.equal('counted');
  });

  it('is ignored as test with a test key, and as repeated the second time', async () => {
    const fetch = click({ requestId: requestIds.issue({ ...claims, test: true }) });
    expect(await countEvent(fetch, issuedAt)).to.deep.equal({ counted: false, reason: 'test' });
    expect(await reasonOf(fetch)).to.equal('repeated');
  });

  it('counts up to the end of its window: 24 hours for impressions and views, 30 days for clicks', async () => {
    for (const kind of ['impression', 'view', 'click'] as const) {
      const window = kind === 'click' ? 720 * HOUR : 24 * HOUR;
      const fetch = (): TrackedFetch => ({ kind, requestId: requestIds.issue(claims), method: 'GET', headers: {} });
      expect(await reasonOf(fetch(), issuedAt + window), kind).to.equal('counted');
      expect(await reasonOf(fetch(), issuedAt + window + 1), kind).to.equal('expired');
      expect(await reasonOf(fetch(), issuedAt - 1), kind).to.equal('counted');
    }
  });

  it('is ignored as from-future if its ad is dated more than five minutes ahead of the clock', async () => {
    const ahead = (milliseconds: number) =>
      click({ requestId: requestIds.issue({ ...claims, issuedAt: issuedAt + milliseconds }) });
    expect(await reasonOf(ahead(5 * 60_000 + 1))).to.equal('from-future');
    expect(await reasonOf(ahead(365 * 24 * HOUR))).to.equal('from-future');
    expect(await reasonOf(ahead(5 * 60_000))).to.equal('counted');
  });

  it('is billed on the day of its ad if the clock is behind that of the ad', async () => {
    const charged: number[] = [];
    const budgets = {
      limitsOf: () => ({ totalMicros: null, dailyMicros: null }),
      recordEvent: (...args: unknown[]) => void charged.push(args[3] as number),
    };
    const count = testCountEvent({ requestIds, ledger, windows, budgets });
    await count(click(), issuedAt - 1000);
    await count(click(), issuedAt + 1000);
    expect(charged).to.deep.equal([issuedAt, issuedAt + 1000]);
  });

  it('fails when the ledger cannot store it: a click is lost, and a beacon gets an error and may be retried', async () => {
    const away = await temporary.open();
    const count = testCountEvent({ requestIds, ledger: away, windows });
    await away.close();
    expect(await count(click(), issuedAt)).to.deep.equal({ counted: false, reason: 'lost' });
    const impression = await count({ ...click(), kind: 'impression' }, issuedAt).catch((error: Error) => error.name);
    expect(impression).to.equal('LedgerUnavailableError');
  });

  it('is counted as lost once the ledger writes again, if a click could not be stored', async () => {
    const locked = await temporary.open({ busyTimeoutMs: 20 });
    const count = testCountEvent({ requestIds, ledger: locked, windows });
    const other = new Sqlite(temporary.file);
    const lost = () =>
      other
        .prepare("select coalesce(sum(times), 0) from counters where grain = 'day' and reason = 'lost'")
        .pluck()
        .get();
    const before = Number(lost());
    other.exec('begin immediate');
    expect(await count(click(), issuedAt)).to.deep.equal({ counted: false, reason: 'lost' });
    other.exec('rollback');
    await locked.close();
    expect(lost()).to.equal(before + 1);
    other.close();
  });
});
