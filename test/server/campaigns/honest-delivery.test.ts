import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Creative } from '../../../models/schema/creative.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { openCampaigns } from '../../../server/campaigns/live-campaigns.js';
import { ineligibility } from '../../../server/decide/eligibility.js';
import type { Requester } from '../../../server/domain/decision.js';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { testCreative } from '../../support/test-snapshot.js';
import { randomNumbers } from '../../support/plausible-month.js';
import { temporaryLedger } from '../ledger/temporary-ledger.js';

const SECOND = 1000;
const noon = Date.UTC(2026, 10, 22, 12);

/** Simulated users see most of the ads served to them within seconds, and sometimes click; the ledger is real. */
describe('a budget and honest traffic', function () {
  this.timeout(120_000);

  /** @returns the numbers of paid and over-budget events, and the spend */
  const deliver = async (creative: Creative, clickRate: number, seconds: number) => {
    const temporary = temporaryLedger();
    const ledger = await temporary.open();
    let now = noon;
    const snapshot = { creatives: [creative] } as unknown as LoadedSnapshot;
    const campaigns = await openCampaigns({
      store: campaignStore(temporary.dataDir),
      ledger,
      index: { current: () => snapshot },
      timeZone: 'UTC',
      clock: () => now,
      log: { info: () => undefined, error: () => undefined },
    });
    const random = randomNumbers(7);
    const lists = { floor: null, blockedCategories: [], blockedAdvertisers: [], allowedTopics: [] };
    const coming: { at: number; kind: EventKind; publisher: string; issuedAt: number }[] = [];
    let [paid, overBudget, ids, refused] = [0, 0, 0, 0];
    const count = async ({ at, kind, publisher, issuedAt }: (typeof coming)[number]) => {
      now = at;
      const { id, campaign, advertiser, pricing } = creative;
      const claims = testClaims({ publisher, creative: id, campaign, advertiser, pricing, issuedAt });
      const limits = campaigns.limitsOf(claims);
      const isFree = kind === 'impression' && pricing?.model === 'cpc';
      const outcome = isFree
        ? ({ counted: true, priceMicros: 0 } as const)
        : await ledger.record({ kind, id: testDigest(++ids), claims: { ...claims, limits }, at });
      campaigns.recordEvent(claims, kind, outcome, at);
      if (outcome.counted && outcome.priceMicros > 0) paid++;
      if (!outcome.counted) overBudget++;
    };
    try {
      for (let asked = noon; asked < noon + seconds * SECOND; asked += 400 * random()) {
        coming.sort((one, other) => one.at - other.at);
        while (coming[0] !== undefined && coming[0].at <= asked) await count(coming.shift()!);
        now = Math.floor(asked);
        const visitor = Math.floor(random() * 500);
        const publisher = { name: `p${visitor % 3}`, test: false, ...lists };
        const address = `198.18.${Math.floor(visitor / 256)}.${visitor % 256}`;
        const requester: Requester = { publisher, session: `s${visitor}`, address, now };
        if (ineligibility(creative, requester, campaigns) !== null) {
          // Time is simulated, but spend is read from a real ledger in real time.
          if (++refused % 50 === 0) await pause(20);
          continue;
        }
        campaigns.recordServed(creative, requester);
        if (random() > 0.93) continue;
        const shown = { at: now + Math.floor(SECOND * (1 + 5 * random())), kind: 'impression' as const };
        coming.push({ ...shown, publisher: publisher.name, issuedAt: now });
        if (random() > clickRate) continue;
        const clicked = { at: shown.at + Math.floor(SECOND * (2 + 20 * random())), kind: 'click' as const };
        coming.push({ ...clicked, publisher: publisher.name, issuedAt: now });
      }
      for (const each of coming.toSorted((one, other) => one.at - other.at)) await count(each);
      const [spend] = await ledger.spending(now);
      return { paid, overBudget, spent: spend?.total };
    } finally {
      await campaigns.close();
      await temporary.remove();
      rmSync(temporary.dataDir, { recursive: true, force: true });
    }
  };

  it('spends a cpm budget to the last impression, with few unpaid impressions', async () => {
    const limits = { pricing: { model: 'cpm', micros: 300_000 } as const, dailyBudgetMicros: 300 * 200 };
    const { paid, overBudget, spent } = await deliver(testCreative('c', { campaign: 'x', ...limits }), 0, 1500);
    expect([paid, spent]).to.deep.equal([200, 60_000]);
    expect(overBudget).to.be.at.most(6);
  });

  it('spends a cpc budget to the last click, with few unpaid clicks', async () => {
    const limits = { pricing: { model: 'cpc', micros: 1_000_000 } as const, dailyBudgetMicros: 20_000_000 };
    const { paid, overBudget, spent } = await deliver(testCreative('c', { campaign: 'x', ...limits }), 0.03, 3000);
    expect([paid, spent]).to.deep.equal([20, 20_000_000]);
    expect(overBudget).to.be.at.most(2);
  });
});
