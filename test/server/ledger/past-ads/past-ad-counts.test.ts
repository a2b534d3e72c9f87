import { expect } from 'chai';
import { sql } from '#kysely';
import { accountKey } from '../../../../server/domain/billing.js';
import { openForReading } from '../../../../server/ledger/database.js';
import { readPastAdCounts } from '../../../../server/ledger/past-ads/past-ad-counts.js';
import { sumPastAds } from '../../../../server/ledger/past-ads/sum-past-ads.js';
import { cuttableLink } from '../../../support/cuttable-link.js';
import { execute, STORES, temporaryLedger, temporaryLedgerIn, type TemporaryLedger } from '../temporary-ledger.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { DAY } from '../../../../platform/time/durations.js';

const now = Date.UTC(2026, 10, 22, 12);

describe('the history of served ads', () => {
  let temporary: TemporaryLedger;
  beforeEach(() => void (temporary = temporaryLedger()));
  afterEach(() => temporary.remove());

  it('is read from the ledger’s last thirty days: shown ads by publisher, clicks by account, without test events', async () => {
    const ledger = await temporary.open();
    const byClick = testClaims({ pricing: { model: 'cpc', micros: 450_000 } });
    const events = [
      ...[1, 2, 3].map((id) => ({ kind: 'impression' as const, id, at: now, claims: byClick })),
      { kind: 'click' as const, id: 1, at: now, claims: byClick },
      { kind: 'click' as const, id: 2, at: now, claims: testClaims({ pricing: null }) },
      { kind: 'impression' as const, id: 4, at: now - 40 * DAY, claims: testClaims() },
      { kind: 'impression' as const, id: 5, at: now, claims: testClaims({ test: true }) },
      { kind: 'impression' as const, id: 6, at: now, claims: testClaims({ advertiser: 'Blue' }) },
    ];
    await Promise.all(events.map(({ id, ...event }) => ledger.record({ ...event, id: testDigest(id) })));
    const filled = { filled: true, creative: 'mower-1', campaign: 'Spring', advertiser: 'Green' } as const;
    for (const result of [filled, filled, filled, filled, filled, { filled: false, reason: 'sensitive' } as const]) {
      ledger.countDecision({ publisher: 'Garden Chat', test: false, result, at: now });
    }
    await ledger.close();
    const { shown, clicks } = await readPastAdCounts(temporary.location, now);
    expect([...shown]).to.deep.equal([['Garden Chat', { served: 5, shown: 4 }]]);
    const account = (advertiser: string) => accountKey({ advertiser, campaign: 'Spring', creative: '' });
    expect([...clicks]).to.have.deep.members([
      [account('Green'), { impressions: 3, clicks: 1 }],
      [account('Blue'), { impressions: 0, clicks: 0 }],
    ]);
  });

  it('is empty before there is a ledger', async () => {
    const { shown, clicks } = await readPastAdCounts(temporary.location, now);
    expect([shown.size, clicks.size]).to.deep.equal([0, 0]);
  });
});

for (const store of STORES) {
  describe(`the history of served ads in ${store}`, function () {
    this.timeout(120_000);
    let temporary: TemporaryLedger;
    beforeEach(async () => void (temporary = await temporaryLedgerIn(store)));
    afterEach(() => temporary.remove());

    it('is read through the keys of counters and bills, and not from all rows of earlier months', async () => {
      await (await temporary.open()).close();
      const database = openForReading(temporary.location);
      // With so few rows, PostgreSQL would rather read them all.
      if (store === 'PostgreSQL') execute(database, 'set enable_seqscan = off');
      const plans: string[] = [];
      sumPastAds(
        {
          run(query) {
            const explain = store === 'SQLite' ? sql`explain query plan select * from ${query}` : sql`explain ${query}`;
            plans.push(JSON.stringify(database.readAsNumbers(explain)));
            return [];
          },
        },
        now,
      );
      database.close();
      expect(plans).to.have.length(3);
      const keys = store === 'SQLite' ? /billed USING.*month>/ : /Index Cond: [^"]*month >=/;
      expect(plans[0]).to.match(keys);
      for (const plan of plans.slice(1)) expect(plan).to.match(/(USING|Index Cond:) [^"]*grain ?=[^"]*start ?>/);
    });
  });
}

describe('the history of served ads in a database that is silent', function () {
  this.timeout(120_000);

  it('fails when the time is up, and does not block the event loop until then', async () => {
    const temporary = await temporaryLedgerIn('PostgreSQL');
    await (await temporary.open()).close();
    const url = new URL((temporary.location as { url: string }).url);
    const link = await cuttableLink(Number(url.port));
    url.port = String(link.port);
    link.dropPackets();
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    const failed = await readPastAdCounts({ url: url.href }, now, 1500).catch(String);
    clearInterval(ticking);
    await link.cut();
    await temporary.remove();
    expect(failed).to.equal('Error: the ledger gave no answer within 1500 ms');
    expect(ticks).to.be.at.least(10);
  });
});
