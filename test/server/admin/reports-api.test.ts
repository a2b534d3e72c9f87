import { expect } from 'chai';
import Koa from 'koa';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createCalendar } from '../../../platform/time/calendar.js';
import { adminApi } from '../../../server/admin/admin-api.js';
import { type Access, openAccess } from '../../../server/access/access.js';
import { accessStore } from '../../../server/access/access-file.js';
import { createAttempts } from '../../../server/admin/session/attempts.js';
import { errorHandler } from '../../../server/http/middleware/error-handler.js';
import { createOwnFigures } from '../../../server/reports/own-figures.js';
import { createReportThread, type ReportThread } from '../../../server/reports/report-thread.js';
import { temporaryLedger, type TemporaryLedger } from '../ledger/temporary-ledger.js';
import { type Listening, listen } from '../../support/listen.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

const main = fileURLToPath(new URL('../../../server/commands/report/main.js', import.meta.url));
const token = 'a-secret-of-the-operator';
const installation = { currency: 'USD', timeZone: 'UTC' };

describe('GET /admin/api/reports', () => {
  let temporary: TemporaryLedger;
  let reports: ReportThread;
  let access: Access;
  let server: Listening;
  let address: string;
  let now = Date.now();

  before(async () => {
    temporary = temporaryLedger();
    const ledger = await temporary.open(installation);
    for (let number = 0; number < 40; number++) {
      await ledger.record({
        kind: number % 4 === 0 ? 'click' : 'impression',
        id: testDigest(number),
        claims: testClaims({
          publisher: `publisher-${number % 2}`,
          creative: `=creative-${number % 3}`,
          advertiser: number % 3 === 0 ? null : 'Green',
          pricing: { model: 'cpm', micros: 1_234_000 },
          test: number === 39,
        }),
        at: Date.UTC(2026, 9, 1 + (number % 5), number % 24),
      });
    }
    reports = createReportThread({ location: temporary.location, ...installation });
    const app = new Koa();
    app.use(errorHandler({ log: pino({ level: 'silent' }) }));
    const log = pino({ level: 'silent' });
    const attempts = createAttempts(() => now);
    access = await openAccess({ store: accessStore(temporary.dataDir), adminToken: token, clock: () => now, log });
    const [own, calendar, clock] = [createOwnFigures(reports), createCalendar('UTC'), () => now];
    app.use(adminApi({ reports, own, calendar, clock, setByCommand: async () => [], access, attempts, log }));
    server = await listen((request, response) => void app.callback()(request, response));
    address = `${server.origin}/admin/api/reports`;
  });
  after(async () => {
    await server.close();
    await Promise.all([reports.close(), access.close()]);
    await temporary.remove();
  });

  const get = (query: string, authorization = `Bearer ${token}`): Promise<Response> =>
    fetch(`${address}?${query}`, { headers: { authorization } });
  const command = async (...argv: string[]): Promise<string> => {
    const all = [main, '--data-dir', temporary.dataDir, ...argv];
    return (await promisify(execFile)(process.execPath, all, { cwd: temporary.dataDir })).stdout;
  };

  const questions: readonly (readonly [query: string, argv: readonly string[]])[] = [
    ['', []],
    ['by=', ['--by', '']],
    [
      'by=day,creative&from=2026-10-02&to=2026-10-04',
      ['--by', 'day,creative', '--from', '2026-10-02', '--to', '2026-10-04'],
    ],
    ['by=hour&time-zone=Asia/Kolkata', ['--by', 'hour', '--time-zone', 'Asia/Kolkata']],
    ['by=publisher&test=1', ['--by', 'publisher', '--test']],
    [
      'by=day&publisher=publisher-1&creative=%3Dcreative-1&creative=%3Dcreative-2',
      ['--publisher', 'publisher-1', '--creative', '=creative-1', '--creative', '=creative-2'],
    ],
    ['by=creative&advertiser=', ['--by', 'creative', '--advertiser', '']],
  ];
  it('returns the same figures as the command, as JSON and as CSV', async function () {
    this.timeout(120_000);
    for (const [number, [query, argv]] of questions.entries()) {
      if (number % 3 === 2) {
        const csv = await get(`${query}&format=csv`);
        expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
        expect(await csv.text(), query).to.equal(await command(...argv, '--format', 'csv'));
      } else {
        const json = await get(query);
        expect(json.status, query).to.equal(200);
        expect(await json.json(), query).to.deep.equal(JSON.parse(await command(...argv, '--format', 'json')));
      }
    }
  });

  it('counts only rows with one of the given names', async () => {
    const impressions = async (query: string) =>
      ((await (await get(query)).json()) as { total: { impressions: number } }).total.impressions;
    const all = await impressions('by=');
    const [one, two] = [await impressions('by=&publisher=publisher-0'), await impressions('by=&publisher=publisher-1')];
    expect([one > 0, two > 0, one + two]).to.deep.equal([true, true, all]);
    expect(await impressions('by=&publisher=publisher-0&publisher=publisher-1')).to.equal(all);
    expect(await impressions('by=&publisher=nobody')).to.equal(0);
  });

  it('returns 401 without the token or with a wrong one', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${token}`, `Bearer ${token}x`]) {
      const response = await get('', authorization);
      expect(response.status, authorization).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.match(/^Bearer/);
      expect(await response.json()).to.have.property('error');
    }
  });

  it('returns 429 after ten wrong tokens, even for the right one, until five minutes are over', async () => {
    now += 300_000;
    for (let guess = 0; guess < 10; guess++) expect((await get('', `Bearer guess-${guess}`)).status).to.equal(401);
    const response = await get('');
    expect(response.status).to.equal(429);
    expect(Number(response.headers.get('retry-after'))).to.be.within(1, 300);
    now += 300_000;
    expect((await get('')).status).to.equal(200);
  });

  it('does not count a request without a token as an attempt', async () => {
    for (let number = 0; number < 12; number++) expect((await get('', '')).status).to.equal(401);
    expect((await get('')).status).to.equal(200);
  });

  it('returns 503 with Retry-After to more requests at once than may wait', async () => {
    const responses = await Promise.all(Array.from({ length: 300 }, () => get('by=hour')));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.length).to.be.above(0);
    for (const response of refused) {
      expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(await response.json()).to.deep.equal({ error: 'too many reports at once' });
    }
  });

  it('returns 400 and names what is wrong', async () => {
    const wrong = [
      'by=week',
      'from=monday',
      'format=xml',
      'test=maybe',
      'time-zone=Mars/Olympus',
      'nonsense=1',
      'by=day&by=hour',
    ];
    for (const query of wrong) {
      const response = await get(query);
      expect(response.status, query).to.equal(400);
      const [name, value] = query.split(/[=&]/);
      expect(((await response.json()) as { error: string }).error).to.match(new RegExp(`"(${name}|${value})"`));
    }
  });
});
