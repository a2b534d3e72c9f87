import { expect } from 'chai';
import { readPastAdCounts } from '../../../../server/campaigns/budgets/past-ad-counts.js';
import { accountKey } from '../../../../server/domain/billing.js';
import { temporaryLedger, type TemporaryLedger } from '../../ledger/temporary-ledger.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';

const DAY = 86_400_000;
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
    const { shown, clicks } = readPastAdCounts(temporary.location, now);
    expect([...shown]).to.deep.equal([['Garden Chat', { served: 5, shown: 4 }]]);
    const account = (advertiser: string) => accountKey({ advertiser, campaign: 'Spring', creative: '' });
    expect([...clicks]).to.have.deep.members([
      [account('Green'), { impressions: 3, clicks: 1 }],
      [account('Blue'), { impressions: 0, clicks: 0 }],
    ]);
  });

  it('is empty before there is a ledger', () => {
    const { shown, clicks } = readPastAdCounts(temporary.location, now);
    expect([shown.size, clicks.size]).to.deep.equal([0, 0]);
  });
});
