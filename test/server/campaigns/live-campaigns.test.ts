import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import type { Creative } from '../../../models/schema/creative.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { resolveCampaign, setCampaign, unsetCampaign } from '../../../server/campaigns/terms/set-terms.js';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import type { Campaigns } from '../../../server/campaigns/campaigns.js';
import { openCampaigns } from '../../../server/campaigns/live-campaigns.js';
import type { Requester } from '../../../server/domain/decision.js';
import { ineligibility } from '../../../server/decide/eligibility.js';
import type { ServerLedger } from '../../../server/ledger/server-ledger.js';
import { eventually, WITHIN_A_SECOND_MS } from '../../support/eventually.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { testCreative } from '../../support/test-snapshot.js';
import { temporaryLedger, type TemporaryLedger } from '../ledger/temporary-ledger.js';

const HOUR = 3_600_000;
const noon = Date.UTC(2026, 10, 22, 12);
const spring = (fields: Partial<Creative> = {}): Creative =>
  testCreative('mower', { campaign: 'Spring', advertiser: 'Green', ...fields });
/** One micro per impression. */
const cpm = (micros: number) => ({ model: 'cpm' as const, micros: 1000 * micros });

describe('campaigns', () => {
  let temporary: TemporaryLedger;
  let ledger: ServerLedger;
  let campaigns: Campaigns;
  let creatives: Creative[];
  let now: number;
  /** How often the spend was read. */
  let readings: number;
  const log = { info: () => undefined, error: () => undefined };
  beforeEach(async () => {
    [now, readings] = [noon, 0];
    temporary = temporaryLedger();
    ledger = await temporary.open();
    creatives = [spring()];
    campaigns = await open();
  });
  afterEach(async () => {
    await campaigns.close();
    await temporary.remove();
    rmSync(temporary.dataDir, { recursive: true, force: true });
  });

  const store = () => campaignStore(temporary.dataDir);
  const open = (timeZone = 'UTC') => {
    const snapshots = new Map<Creative[], LoadedSnapshot>();
    const current = () => {
      const known = snapshots.get(creatives) ?? ({ creatives } as unknown as LoadedSnapshot);
      snapshots.set(creatives, known);
      return known;
    };
    const spending: ServerLedger['spending'] = async (at) => {
      const spends = await ledger.spending(at);
      readings++;
      return spends;
    };
    const options = { store: store(), ledger: { spending }, index: { current }, clock: () => now, log };
    return openCampaigns({ ...options, timeZone });
  };
  const requester = (session?: string, test = false, publisher = 'Chat', address?: string): Requester => {
    const lists = { blockedCategories: [], blockedAdvertisers: ['Red'], allowedTopics: [] };
    return { publisher: { name: publisher, test, floor: null, ...lists }, session, address, now };
  };
  const ineligibilityOf = (creative: Creative, session?: string) =>
    ineligibility(creative, requester(session), campaigns);
  /**
   * An event stored during a reading of the spend counts twice until the next reading: waits for one that starts later
   * to end.
   */
  const hasRoom = async (creative: Creative): Promise<boolean> => {
    const enough = readings + 2;
    await eventually(() => expect(ineligibilityOf(creative) === null || readings >= enough).to.equal(true), 20_000);
    return ineligibilityOf(creative) === null;
  };
  let ids = 0;
  const claimsOf = (creative: Creative) => {
    const { id, campaign, advertiser, pricing } = campaigns.effective(creative);
    return testClaims({ publisher: 'Chat', creative: id, campaign, advertiser, pricing, issuedAt: now });
  };
  /** Records an event of an ad served now. */
  const counted = async (creative: Creative) => {
    const claims = claimsOf(creative);
    const kind = claims.pricing?.model === 'cpc' ? 'click' : 'impression';
    const event = { kind, id: testDigest(++ids), at: now } as const;
    const outcome = await ledger.record({ ...event, claims: { ...claims, limits: campaigns.limitsOf(claims) } });
    campaigns.recordEvent(claims, kind, outcome, now);
    return outcome;
  };
  /** Serves an ad and, by default, records its event. */
  const answer = async (
    creative: Creative,
    { session, counted: isCounted = true }: { session?: string; counted?: boolean } = {},
  ) => {
    campaigns.recordServed(creative, requester(session));
    return isCounted ? counted(creative) : undefined;
  };

  it('allow a creative without limits', () => expect(ineligibilityOf(spring())).to.equal(null));

  it('run from their start, inclusive, to their end, exclusive', () => {
    const dated = spring({ startsAt: new Date(noon).toISOString(), endsAt: new Date(noon + HOUR).toISOString() });
    const words = [noon - 1, noon, noon + HOUR - 1, noon + HOUR].map(
      (moment) => ((now = moment), ineligibilityOf(dated)),
    );
    expect(words).to.deep.equal(['not-started', null, null, 'ended']);
  });

  it('are ineligible once the next event exceeds the total budget, at once and after a restart', async () => {
    const limited = spring({ pricing: cpm(300), budgetMicros: 1000 });
    creatives = [limited];
    for (let ad = 0; ad < 3; ad++) {
      expect(await hasRoom(limited)).to.equal(true);
      expect(await answer(limited)).to.deep.equal({ counted: true, priceMicros: 300 });
    }
    expect(ineligibilityOf(limited)).to.equal('budget-spent');
    await campaigns.close();
    campaigns = await open();
    expect(ineligibilityOf(limited)).to.equal('budget-spent');
  });

  it('are ineligible when another process has spent their budget', async () => {
    const limited = spring({ pricing: cpm(300), budgetMicros: 300 });
    const other = await temporary.open();
    const claims = testClaims({ pricing: cpm(300), issuedAt: now });
    await other.record({ kind: 'impression', id: testDigest(0xffff), claims, at: now });
    await eventually(() => expect(ineligibilityOf(limited)).to.equal('budget-spent'), WITHIN_A_SECOND_MS);
  });

  it('get a new daily budget the next day', async () => {
    const limited = spring({ pricing: cpm(300), dailyBudgetMicros: 500 });
    creatives = [limited];
    await answer(limited);
    expect(ineligibilityOf(limited)).to.equal('daily-budget-spent');
    now = Date.UTC(2026, 10, 23) - 1;
    expect(ineligibilityOf(limited)).to.equal('daily-budget-spent');
    now++;
    expect(ineligibilityOf(limited)).to.equal(null);
  });

  /** Serves ads to different visitors, without beacons. */
  const ignoredAds = (creative: Creative, count: number, from = 0): void => {
    for (let ad = from; ad < from + count; ad++) {
      campaigns.recordServed(creative, requester(`s${ad}`, false, `p${ad % 5}`, `192.0.2.${ad}`));
    }
  };

  it('reserve the expected cost of served ads for two minutes, but nothing for a test key', async () => {
    const limited = spring({ pricing: cpm(300), budgetMicros: 1000 });
    for (let ad = 0; ad < 5; ad++) campaigns.recordServed(limited, requester(undefined, true));
    expect(ineligibilityOf(limited)).to.equal(null);
    // Nine of ten ads are shown: four are expected to cost 1080.
    ignoredAds(limited, 3);
    expect(ineligibilityOf(limited)).to.equal(null);
    ignoredAds(limited, 1, 3);
    expect(ineligibilityOf(limited)).to.equal('budget-spent');
    now += 120_000;
    expect(ineligibilityOf(limited)).to.equal(null);
  });

  it('reserve one click per hundred shown ads', async () => {
    const limited = spring({ pricing: { model: 'cpc', micros: 1000 }, budgetMicros: 2000 });
    ignoredAds(limited, 222);
    expect(ineligibilityOf(limited)).to.equal(null);
    ignoredAds(limited, 1, 222);
    expect(ineligibilityOf(limited)).to.equal('budget-spent');
  });

  it('spend the last click of a budget that is a multiple of its price', async () => {
    const [price, total] = [1_000_000, 5_000_000];
    const limited = spring({ pricing: { model: 'cpc', micros: price }, budgetMicros: total, dailyBudgetMicros: price });
    creatives = [limited];
    for (let day = 0; day < 5; day++) {
      for (let ad = 0; ad < 20; ad++) {
        expect(ineligibilityOf(limited), `day ${day}, ad ${ad}`).to.equal(null);
        await answer(limited, { counted: false });
        campaigns.recordEvent(claimsOf(limited), 'impression', { counted: true, priceMicros: 0 }, now);
      }
      expect(await answer(limited)).to.deep.equal({ counted: true, priceMicros: price });
      await eventually(() =>
        expect(ineligibilityOf(limited)).to.equal(day < 4 ? 'daily-budget-spent' : 'budget-spent'),
      );
      now += 24 * HOUR;
      await hasRoom(limited);
    }
    expect((await ledger.spending(now))[0]).to.deep.include({ total });
    expect(ineligibilityOf(limited)).to.equal('budget-spent');
  });

  it('expect the observed CTR of a campaign, and rank near-ties by it', async () => {
    const limited = spring({ pricing: { model: 'cpc', micros: 1000 }, budgetMicros: 1_000_000 });
    creatives = [limited];
    expect(campaigns.expectedMicros(limited)).to.equal(10);
    const claims = claimsOf(limited);
    for (let ad = 0; ad < 1800; ad++) {
      campaigns.recordEvent(claims, 'impression', { counted: true, priceMicros: 0 }, now);
      if (ad % 10 === 0) campaigns.recordEvent(claims, 'click', { counted: true, priceMicros: 1000 }, now);
    }
    expect(campaigns.expectedMicros(limited)).to.equal((1000 * (180 + 2)) / 2000);
    // Test keys, views, ignored events and free events do not affect the CTR.
    for (let ad = 0; ad < 1000; ad++) {
      campaigns.recordEvent({ ...claims, test: true }, 'click', { counted: true, priceMicros: 0 }, now);
      campaigns.recordEvent(claims, 'view', { counted: true, priceMicros: 0 }, now);
      campaigns.recordEvent(claims, 'click', { counted: false, reason: 'repeated' }, now);
      campaigns.recordEvent(claims, 'click', { counted: false, reason: 'over-budget' }, now);
      campaigns.recordEvent({ ...claims, pricing: null }, 'click', { counted: true, priceMicros: 0 }, now);
    }
    expect(campaigns.expectedMicros(limited)).to.equal((1000 * (180 + 2)) / 2000);
    expect(campaigns.expectedMicros(spring({ ...limited, campaign: 'Autumn' }))).to.equal(10);
  });

  it('cap the CTR for ranking at ten times the prior: clicks on one’s own ads can be cheap', () => {
    const cheap = spring({ pricing: { model: 'cpc', micros: 1 } });
    for (let ad = 0; ad < 1000; ad++) {
      campaigns.recordEvent(claimsOf(cheap), 'impression', { counted: true, priceMicros: 0 }, now);
      campaigns.recordEvent(claimsOf(cheap), 'click', { counted: true, priceMicros: 1 }, now);
    }
    expect(campaigns.expectedMicros({ ...cheap, pricing: { model: 'cpc', micros: 1000 } })).to.equal(100);
  });

  it('charge a click of yesterday that was stored late to the total budget only, not to today’s', async () => {
    const limited = spring({ pricing: { model: 'cpc', micros: 400 }, budgetMicros: 10_000, dailyBudgetMicros: 600 });
    creatives = [limited];
    await campaigns.close();
    // The spend is not read again: only the charge counts.
    campaigns = await open();
    campaigns.recordEvent(claimsOf(limited), 'click', { counted: true, priceMicros: 400 }, now);
    campaigns.recordEvent(claimsOf(limited), 'click', { counted: true, priceMicros: 400 }, now - 86_400_000);
    expect(ineligibilityOf(limited)).to.equal('daily-budget-spent');
  });

  it('keep budget for others when one visitor requests many ads and shows none', async () => {
    const limited = spring({ pricing: cpm(300), budgetMicros: 300 * 100 });
    creatives = [limited];
    const attacks = {
      session: { of: () => requester('one'), most: 10 },
      address: { of: (ad: number) => requester(`s${ad}`, false, 'Chat', '192.0.2.1'), most: 25 },
      publisher: { of: (ad: number) => requester(`s${ad}`, false, 'Chat', `192.0.2.${ad}`), most: 50 },
    };
    for (const [name, { of, most }] of Object.entries(attacks)) {
      await campaigns.close();
      campaigns = await open();
      let answered = 0;
      for (let ad = 0; ad < 199; ad++) {
        if (ineligibility(limited, of(ad), campaigns) !== null) continue;
        campaigns.recordServed(limited, of(ad));
        answered++;
        now += 10;
      }
      expect(answered, name).to.be.within(most, most * 1.2);
      expect(ineligibility(limited, of(199), campaigns), name).to.equal('share-reserved');
      const other = requester('other', false, 'Other', '192.0.2.250');
      expect(ineligibility(limited, other, campaigns), name).to.equal(null);
      now += 120_000;
      expect(ineligibility(limited, of(199), campaigns), name).to.equal(null);
    }
  });

  it('keep budget for others from a publisher that has taught them to expect its ads late', () => {
    const pricing = cpm(300);
    const taught = testCreative('teacher', { campaign: 'Other', pricing, budgetMicros: 300 * 1_000_000 });
    const limited = spring({ pricing, budgetMicros: 300 * 100 });
    creatives = [taught, limited];
    const from = (ad: number) => requester(`s${ad}`, false, 'Evil', `198.18.${ad % 250}.${Math.floor(ad / 250)}`);
    const issued = Array.from({ length: 1000 }, (_, ad) => {
      campaigns.recordServed(taught, from(ad));
      return now++;
    });
    now += 3 * 60_000;
    expect(ineligibility(taught, from(0), campaigns)).to.equal(null);
    // Hardly any ad of this publisher is shown in time, and nearly all are later.
    for (const issuedAt of issued) {
      const claims = testClaims({
        publisher: 'Evil',
        creative: 'teacher',
        campaign: 'Other',
        advertiser: null,
        pricing,
        issuedAt,
      });
      campaigns.recordEvent(claims, 'impression', { counted: true, priceMicros: 300 }, now);
    }
    for (let minute = 0; minute < 15; minute++) {
      for (let ad = 0; ad < 1000; ad++) {
        if (ineligibility(limited, from(ad), campaigns) !== null) continue;
        campaigns.recordServed(limited, from(ad));
        now += 10;
      }
      now += 60_000;
      expect(ineligibility(limited, requester('honest', false, 'Chat', '192.0.2.1'), campaigns)).to.equal(null);
    }
  });

  it('treat an IPv6 network as one address', () => {
    const limited = spring({ pricing: cpm(300), budgetMicros: 300 * 100 });
    creatives = [limited];
    const from = (ad: number, network: string) => requester(`s${ad}`, false, 'Chat', `${network}::${ad.toString(16)}`);
    let answered = 0;
    for (let ad = 1; ad < 200; ad++) {
      if (ineligibility(limited, from(ad, '2001:db8:0:1'), campaigns) !== null) continue;
      campaigns.recordServed(limited, from(ad, '2001:db8:0:1'));
      answered++;
    }
    expect(answered).to.be.within(25, 30);
    expect(ineligibility(limited, from(200, '2001:db8:0:1'), campaigns)).to.equal('share-reserved');
    expect(ineligibility(limited, from(200, '2001:db8:0:2'), campaigns)).to.equal(null);
  });

  it('reserve nothing for an over-budget event', async () => {
    const limited = spring({ pricing: cpm(300), budgetMicros: 300 });
    creatives = [limited];
    const outcomes = [];
    for (let ad = 0; ad < 5; ad++) campaigns.recordServed(limited, requester());
    for (let ad = 0; ad < 5; ad++) outcomes.push(await counted(limited));
    expect(outcomes.filter((outcome) => !outcome.counted && outcome.reason === 'over-budget')).to.have.length(4);
    creatives = [spring({ ...limited, budgetMicros: 600 })];
    expect(await hasRoom(creatives[0]!)).to.equal(true);
  });

  it('spend evenly over the day with even pacing, up to a quarter of an hour ahead', async () => {
    const limited = spring({ pricing: cpm(1000), dailyBudgetMicros: 96_000 });
    creatives = [limited];
    now = Date.UTC(2026, 10, 22);
    await store().change((file) => setCampaign(file, { name: 'Spring' }, { pacing: 'even' }));
    await campaigns.close();
    campaigns = await open();
    const spentUntilSkipped = async (): Promise<number> => {
      let ads = 0;
      while (await hasRoom(limited)) {
        await answer(limited);
        ads++;
      }
      return ads;
    };
    const spent: number[] = [];
    for (const hour of [0, 6, 12, 18]) {
      now = Date.UTC(2026, 10, 22, hour);
      spent.push(await spentUntilSkipped());
      expect(ineligibilityOf(limited)).to.equal('ahead-of-pace');
    }
    expect(spent).to.deep.equal([1, 24, 24, 24]);
    now = Date.UTC(2026, 10, 22, 23, 50);
    expect(await spentUntilSkipped()).to.equal(23);
    expect(ineligibilityOf(limited)).to.equal('daily-budget-spent');
  });

  it('start the day of even pacing in the installation’s time zone', async () => {
    const limited = spring({ pricing: cpm(1000), dailyBudgetMicros: 96_000 });
    creatives = [limited];
    // Midnight in Auckland, late morning in UTC.
    now = Date.UTC(2026, 10, 22, 11);
    await store().change((file) => setCampaign(file, { name: 'Spring' }, { pacing: 'even' }));
    await campaigns.close();
    campaigns = await open('Pacific/Auckland');
    await answer(limited);
    expect(await hasRoom(limited)).to.equal(false);
    expect(ineligibilityOf(limited)).to.equal('ahead-of-pace');
  });

  it('divide the rest of a total budget over the days until the end date', async () => {
    const endsAt = new Date(Date.UTC(2026, 10, 24)).toISOString();
    const limited = spring({ pricing: cpm(1000), budgetMicros: 96_000, endsAt });
    creatives = [limited];
    now = Date.UTC(2026, 10, 22, 12);
    await store().change((file) => setCampaign(file, { name: 'Spring' }, { pacing: 'even' }));
    await campaigns.close();
    campaigns = await open();
    let ads = 0;
    for (; await hasRoom(limited); ads++) await answer(limited);
    // Half of the first of two days plus a quarter of an hour: 24.5 of 48.
    expect([ads, ineligibilityOf(limited)]).to.deep.equal([25, 'ahead-of-pace']);
  });

  it('have their own budget, pause and cap if two advertisers use the same name', async () => {
    const fields = { pricing: cpm(300), budgetMicros: 500, frequencyCap: { ads: 1, hours: 1 } };
    const [green, blue] = ['Green', 'Blue'].map((advertiser) => spring({ id: advertiser, advertiser, ...fields }));
    creatives = [green!, blue!];
    await answer(green!, { session: 'a' });
    await eventually(() => expect(ineligibilityOf(green!)).to.equal('budget-spent'));
    expect([ineligibilityOf(blue!), ineligibilityOf(blue!, 'a')]).to.deep.equal([null, null]);
    expect(await answer(blue!)).to.deep.equal({ counted: true, priceMicros: 300 });
    await store().change((file) =>
      setCampaign(file, { name: 'Spring', feedAdvertiser: 'Green' }, { budgetMicros: null }),
    );
    await eventually(() => expect(ineligibilityOf(green!)).to.equal(null), WITHIN_A_SECOND_MS);
    expect(ineligibilityOf(blue!)).to.equal('budget-spent');
    expect(campaigns.limitsOf(testClaims({ advertiser: 'Blue' }))).to.include({ totalMicros: 500 });
    expect(campaigns.limitsOf(testClaims({ advertiser: 'Green' }))).to.include({ totalMicros: null });
  });

  it('count events by the same budget as decisions if the file lets one account pay for two', async () => {
    const [green, blue] = [1000, 300].map((budgetMicros, row) =>
      spring({ id: `row-${row}`, advertiser: ['Green', 'Blue'][row]!, pricing: cpm(300), budgetMicros }),
    ) as [Creative, Creative];
    creatives = [green, blue];
    const set = ['Green', 'Blue'].map((of) => ({ name: 'Spring', of, advertiser: 'Agency' }));
    writeFileSync(store().path, JSON.stringify({ version: 1, campaigns: set }));
    await eventually(() => expect(campaigns.effective(blue).advertiser).to.equal('Agency'), WITHIN_A_SECOND_MS);
    for (let ad = 0; ad < 3; ad++) {
      expect(await hasRoom(green)).to.equal(true);
      expect(await answer(green)).to.deep.equal({ counted: true, priceMicros: 300 });
    }
    expect([ineligibilityOf(green), ineligibilityOf(blue)]).to.deep.equal(['budget-spent', 'budget-spent']);
    expect(campaigns.limitsOf(testClaims({ creative: 'gone', advertiser: 'Agency' }))).to.include({ totalMicros: 300 });
  });

  it('are paused under another spelling of their name, as an earlier release stored it', async () => {
    const [creative] = (creatives = [spring({ campaign: 'Caf\u00e9', advertiser: 'Green' })]);
    const set = [{ name: 'Cafe\u0301 ', of: ' Green', paused: true }];
    writeFileSync(store().path, JSON.stringify({ version: 1, campaigns: set }));
    await eventually(() => expect(ineligibilityOf(creative!)).to.equal('paused'), WITHIN_A_SECOND_MS);
  });

  it('are paused separately if one account pays for two, whichever is checked first', async () => {
    const [green, blue] = ['Green', 'Blue'].map((advertiser) => spring({ id: advertiser, advertiser })) as [
      Creative,
      Creative,
    ];
    creatives = [green, blue];
    const set = [{ name: 'Spring', of: 'Green', advertiser: 'Blue', paused: true }];
    writeFileSync(store().path, JSON.stringify({ version: 1, campaigns: set }));
    await eventually(() => expect(campaigns.effective(green).advertiser).to.equal('Blue'), WITHIN_A_SECOND_MS);
    for (const order of [
      [green, blue],
      [blue, green],
    ]) {
      // One requester: results for a decision's first candidate are cached for the others.
      const asks = requester();
      const reasons = new Map(order.map((creative) => [creative, ineligibility(creative, asks, campaigns)]));
      expect([reasons.get(green), reasons.get(blue)]).to.deep.equal(['paused', null]);
    }
  });

  it('of one name all have the terms that an earlier release set for that name', async () => {
    const [green, blue] = ['Green', 'Blue'].map((advertiser) => spring({ id: advertiser, advertiser }));
    creatives = [green!, blue!];
    writeFileSync(store().path, '{"version":1,"campaigns":[{"name":"Spring","paused":true}]}');
    await eventually(
      () => expect([ineligibilityOf(green!), ineligibilityOf(blue!)]).to.deep.equal(['paused', 'paused']),
      WITHIN_A_SECOND_MS,
    );
    await store().change((file) =>
      setCampaign(file, resolveCampaign(file, 'Spring', ['Green', 'Blue'], 'Blue'), { paused: false }),
    );
    await eventually(
      () => expect([ineligibilityOf(green!), ineligibilityOf(blue!)]).to.deep.equal(['paused', null]),
      WITHIN_A_SECOND_MS,
    );
  });

  it('serve a session no more ads than the frequency cap, separately per session', async () => {
    const capped = spring({ frequencyCap: { ads: 2, hours: 1 } });
    await answer(capped, { session: 'a' });
    now += HOUR / 2;
    await answer(capped, { session: 'a' });
    expect([ineligibilityOf(capped, 'a'), ineligibilityOf(capped, 'b'), ineligibilityOf(capped)]).to.deep.equal([
      'frequency-cap',
      null,
      null,
    ]);
    now += HOUR / 2;
    expect(ineligibilityOf(capped, 'a')).to.equal(null);
  });

  it('apply terms set by command within a second, and the feed’s again once they are unset', async () => {
    const creative = spring({ pricing: cpm(300), budgetMicros: 1000 });
    creatives = [creative];
    const claims = testClaims({ pricing: cpm(300), issuedAt: now });
    expect(campaigns.limitsOf(claims)).to.deep.equal({ totalMicros: 1000, dailyMicros: null });
    await store().change((file) => setCampaign(file, { name: 'Spring' }, { paused: true }));
    await eventually(() => expect(ineligibilityOf(creative)).to.equal('paused'), WITHIN_A_SECOND_MS);
    const pricing = { model: 'cpc', micros: 500 } as const;
    await store().change((file) => {
      setCampaign(
        file,
        { name: 'Spring' },
        {
          paused: false,
          pricing,
          budgetMicros: null,
          dailyBudgetMicros: 70,
          advertiser: 'Red',
        },
      );
    });
    await eventually(() => expect(campaigns.effective(creative).pricing).to.deep.equal(pricing), WITHIN_A_SECOND_MS);
    expect(campaigns.limitsOf(claims)).to.deep.equal({ totalMicros: null, dailyMicros: 70 });
    expect(ineligibilityOf(creative)).to.equal('daily-budget-spent');
    await store().change((file) => setCampaign(file, { name: 'Spring' }, { dailyBudgetMicros: null }));
    await eventually(() => expect(ineligibilityOf(creative)).to.equal('blocked-advertiser'), WITHIN_A_SECOND_MS);
    await store().change((file) => unsetCampaign(file, { name: 'Spring' }));
    await eventually(() => expect(campaigns.effective(creative)).to.deep.equal(creative), WITHIN_A_SECOND_MS);
  });

  it('apply the limits from when the ad was served if their campaign is no longer known', () => {
    const limits = { totalMicros: 5, dailyMicros: null };
    const claims = testClaims({ creative: 'gone', campaign: 'Gone', advertiser: null, issuedAt: now, limits });
    expect(campaigns.limitsOf(claims)).to.deep.equal(limits);
  });
});
