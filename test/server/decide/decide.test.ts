import { expect } from 'chai';
import type { Encoder, Encoding } from '../../../models/encoder/encoder.js';
import { memorySearch } from '../../../models/index/catalogue-search.js';
import { exactIndex } from '../../../models/index/vector-index.js';
import type { Creative } from '../../../models/schema/creative.js';
import type { Exclude } from '../../../models/schema/match-request.js';
import { plainModel } from '../../../models/scoring/decision-model.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { type CampaignIneligibility, type CampaignRules, feedRules } from '../../../server/campaigns/campaigns.js';
import { readConversation } from '../../../server/decide/conversation/conversation.js';
import { createDecide } from '../../../server/decide/decide.js';
import { ownerOf } from '../../../server/decide/decision-steps.js';
import { excludedBy, ineligibility } from '../../../server/decide/eligibility.js';
import { createRanker } from '../../../server/decide/ranker.js';
import type { Requester } from '../../../server/domain/decision.js';
import { defaultSettings } from '../../../server/keys/key-file.js';
import { testCreative } from '../../support/test-snapshot.js';

const publisher = { ...defaultSettings('Garden'), test: false };
const requester: Requester = { publisher, session: 's', now: Date.UTC(2026, 10, 22) };

/** A unit vector in the plane at an angle in degrees. */
const at = (degrees: number): number[] => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];

/** An encoder that maps a text to the angle of the first number in it. */
function planar(): Encoder {
  const encode = (text: string): Encoding => ({
    vector: Float32Array.from(at(Number(/\d+/.exec(text)?.[0] ?? 0))),
    signals: null,
  });
  return {
    fingerprint: 'planar',
    dims: 2,
    embed: (text) => Promise.resolve(encode(text).vector),
    encodeWithSignals: (text) => Promise.resolve(encode(text)),
    close: () => Promise.resolve(),
  };
}

/** A snapshot with creatives at the given angles. */
function snapshotOf(creatives: readonly Creative[], degrees: readonly number[]): LoadedSnapshot {
  const vectors = Float32Array.from(degrees.flatMap(at));
  return {
    id: 'made',
    manifest: {} as LoadedSnapshot['manifest'],
    creatives,
    vectors,
    search: memorySearch(exactIndex(vectors, 2), vectors, 2),
    words: { find: () => ({ scores: new Map(), rarity: 0 }) },
    multilingual: null,
  };
}
const three = [testCreative('near'), testCreative('far'), testCreative('farther')];
const snapshot = snapshotOf(three, [0, 40, 80]);

describe('a decision', () => {
  const decide = (
    options: { floor?: number | null; campaigns?: CampaignRules; current?: LoadedSnapshot | null } = {},
    by: Requester = requester,
    context = 'User: 0 degrees',
  ) => {
    const { floor = 0, campaigns = feedRules, current = snapshot } = options;
    const config = { dataDir: '/nowhere', floor };
    return createDecide({ encoder: planar(), index: { current: () => current }, config, campaigns })({ context }, by);
  };
  const withIneligibility = (
    reason: (id: string) => CampaignIneligibility | null,
    changes: Partial<CampaignRules> = {},
  ) => ({
    ...feedRules,
    ineligibility: ({ id }: Creative) => reason(id),
    ...changes,
  });
  const idOf = async (decision: ReturnType<typeof decide>): Promise<string> => {
    const made = await decision;
    return made.filled ? made.creative.id : made.reason;
  };

  it('serves the nearest creative, with its score', async () => {
    expect(await idOf(decide())).to.equal('near');
    expect(await idOf(decide({}, requester, 'User: 41 degrees'))).to.equal('far');
    const decision = await decide();
    expect(decision).to.include({ filled: true }).with.property('score').that.is.within(0.99, 1);
  });

  it('serves no ad without a catalogue or with an empty one', async () => {
    expect(await idOf(decide({ current: null }))).to.equal('no-catalogue');
    expect(await idOf(decide({ current: snapshotOf([], []) }))).to.equal('no-catalogue');
  });

  describe('with an encoder for English', () => {
    const german = 'User: ich suche neue Winterreifen für mein Auto, 41 Grad';
    const english = { ...planar(), english: true };
    const decideBy = (encoder: Encoder, current: LoadedSnapshot, context: string) => {
      const config = { dataDir: '/nowhere', floor: 0 };
      return idOf(createDecide({ encoder, index: { current: () => current }, config })({ context }, requester));
    };
    const both = { ...snapshot, multilingual: snapshotOf(three, [80, 0, 40]) };
    const withOther = { ...english, multilingual: planar() };

    it('serves no ad in another language', async () => {
      expect(await decideBy(english, snapshot, german)).to.equal('language');
      expect(await decideBy(english, snapshot, 'User: I need new winter tyres for my car, 41 degrees')).to.equal('far');
    });

    it('uses the multilingual encoder and its vectors for the languages that it covers', async () => {
      expect(await decideBy(withOther, both, german)).to.equal('farther');
      expect(await decideBy(withOther, both, 'User: I need new winter tyres for my car, 41 degrees')).to.equal('far');
    });

    it('serves no ad in a language that no encoder was evaluated on, or if the catalogue lacks its vectors', async () => {
      expect(await decideBy(withOther, both, 'User: мне нужны зимние шины, недорого, 41')).to.equal('language');
      expect(await decideBy(withOther, snapshot, german)).to.equal('language');
    });

    it('uses the English encoder if no language is detected', async () => {
      expect(await decideBy(withOther, both, 'User: 41')).to.equal('far');
    });
  });

  it('serves no ad to a user in distress', async () => {
    expect(await idOf(decide({}, requester, 'User: i want to kill myself'))).to.equal('sensitive');
    const allowing = { ...requester, publisher: { ...publisher, allowedTopics: ['suicide-self-harm'] } };
    expect(await idOf(decide({}, allowing, 'User: i want to kill myself'))).to.equal('near');
  });

  it('serves no ad below the floor: the publisher’s, else the installation’s, else the model’s', async () => {
    const of = (floor: number) => ({ ...requester, publisher: { ...publisher, floor } });
    const turned = 'User: 64 degrees';
    const { score } = (await decide({}, of(0), turned)) as { score: number };
    expect(score).to.be.within(0.1, 0.9999);
    expect(await idOf(decide({ floor: 0 }, of(score + 1e-6), turned))).to.equal('below-floor');
    expect(await idOf(decide({ floor: 1 }, of(score), turned))).to.equal('farther');
    expect(await idOf(decide({ floor: score + 1e-6 }, requester, turned))).to.equal('below-floor');
    expect(await idOf(decide({ floor: score }, requester, turned))).to.equal('farther');
    expect(await idOf(decide({ floor: null }, requester))).to.equal('near');
    expect(await idOf(decide({ floor: null }, requester, 'User: 200 degrees'))).to.equal('below-floor');
  });

  it('skips ineligible creatives, and serves no ad if all are ineligible', async () => {
    expect(await idOf(decide({ campaigns: withIneligibility((id) => (id === 'near' ? 'paused' : null)) }))).to.equal(
      'far',
    );
    expect(await idOf(decide({ campaigns: withIneligibility(() => 'paused') }))).to.equal('not-eligible');
  });

  it('serves the next best ad when the request excludes the best, and none when it excludes all', async () => {
    const excluding = (...creatives: string[]) => ({ ...requester, excluded: excludedBy({ creatives }) });
    expect(await idOf(decide({}, excluding('near')))).to.equal('far');
    expect(await idOf(decide({}, excluding('near', 'far', 'farther')))).to.equal('not-eligible');
  });

  it('skips an ad if one of its negative keywords was said by anybody, in the newest turns', async () => {
    const choosy = { ...three[0]!, negativeKeywords: ['second hand', 'user'] };
    const current = snapshotOf([choosy, ...three.slice(1)], [0, 40, 80]);
    const decided = (context: string) => idOf(decide({ current }, requester, context));
    const before = 'User: 0 degrees, second-hand\nAssistant: Which ones?\nUser: ';
    expect(await decided('User: 0 degrees, by hand')).to.equal('near');
    expect(await decided('User: 0 degrees, second-hand')).to.equal('far');
    expect(await decided('User: 0 degrees\nAssistant: Second hand ones are cheaper.\nUser: good')).to.equal('far');
    expect(await decided(`${before}${'good '.repeat(1000)}`)).to.equal('far');
    expect(await decided(`${before}${'good '.repeat(2100)}`)).to.equal('near');
    const all = snapshotOf([choosy], [0]);
    expect(await idOf(decide({ current: all }, requester, 'User: 0, second hand'))).to.equal('not-eligible');
  });

  it('skips an ad for other countries, and for readers whose country is unknown', async () => {
    const british = { ...three[0]!, countries: ['GB', 'IE'] };
    const options = { encoder: planar(), config: { dataDir: '/nowhere', floor: 0 } };
    const index = { current: () => snapshotOf([british, ...three.slice(1)], [0, 40, 80]) };
    const decided = (country: string | undefined, proxy: string | null = null) => {
      const request = { context: 'User: 0 degrees', ...(country !== undefined && { country }) };
      return idOf(createDecide({ ...options, index })(request, { ...requester, country: proxy }));
    };
    for (const country of ['GB', 'ie', 'UK']) expect(await decided(country)).to.equal('near');
    for (const country of ['DE', 'XX', undefined]) expect(await decided(country)).to.equal('far');
    expect(await decided(undefined, 'GB')).to.equal('near');
    expect(await decided('DE', 'GB')).to.equal('far');
    expect(await decided('XX', 'GB')).to.equal('far');
  });

  it('skips an ad for another language, and returns the conversation’s language', async () => {
    const current = snapshotOf([testCreative('near', { language: 'de' }), testCreative('far')], [0, 40]);
    expect(await idOf(decide({ current }, requester, 'User: which boots are good at 0 degrees?'))).to.equal('far');
    expect(await idOf(decide({ current }, requester, 'User: Welche Schuhe sind gut bei 0 Grad?'))).to.equal('near');
    expect(await idOf(decide({ current }, requester, 'User: 0'))).to.equal('near');
    const accepting = { ...requester, publisher: { ...publisher, foreignLanguages: ['de'] } };
    expect(await idOf(decide({ current }, accepting, 'User: which boots are good at 0 degrees?'))).to.equal('near');
    const only = { current: snapshotOf([testCreative('near', { language: 'de' })], [0]) };
    const none = { filled: false, reason: 'not-eligible', language: 'en' };
    expect(await decide(only, requester, 'User: which boots are good at 0 degrees?')).to.deep.equal(none);
    expect(await decide({}, requester, 'User: 0')).to.include({ filled: true, language: null });
    expect(await decide({}, requester, 'User: i want to kill myself')).to.include({ language: 'en' });
  });

  it('checks eligibility again after the ranking', async () => {
    const looks = new Map<string, number>();
    const reason = (id: string): CampaignIneligibility | null => {
      looks.set(id, (looks.get(id) ?? 0) + 1);
      return id === 'near' && looks.get(id)! > 1 ? 'budget-spent' : null;
    };
    expect(await idOf(decide({ campaigns: withIneligibility(reason) }))).to.equal('far');
  });

  it('cannot be made twice at the same time from the last of a budget', async () => {
    let served = 0;
    const last = withIneligibility(() => (served > 0 ? 'budget-spent' : null), { recordServed: () => void served++ });
    const results = await Promise.all(Array.from({ length: 20 }, () => idOf(decide({ campaigns: last }))));
    expect(results.filter((result) => result === 'near')).to.have.length(1);
    expect(results.filter((result) => result === 'not-eligible')).to.have.length(19);
  });

  it('is recorded for its campaign, and serves the creative on the terms in force', async () => {
    const recorded: [string, Requester][] = [];
    const campaigns = withIneligibility(() => null, {
      effective: (creative) => ({ ...creative, name: `${creative.name} today`, advertiser: 'Agency' }),
      recordServed: ({ id }, by) => void recorded.push([id, by]),
    });
    const decision = await decide({ campaigns });
    expect(decision).to.have.nested.property('creative.name', 'Shop near today');
    expect(decision).to.have.nested.property('creative.advertiser', 'Agency');
    expect(decision).to.have.property('feedAdvertiser', null);
    expect(recorded.map(([id]) => id)).to.deep.equal(['near']);
    expect(recorded[0]![1]).to.include({ ...requester, language: 'en' });
    await decide({ campaigns, floor: 1.1 });
    expect(recorded).to.have.length(1);
  });

  it('serves the better paid of two equally relevant ads', async () => {
    const paid = [testCreative('plain'), testCreative('paid', { pricing: { model: 'cpm', micros: 5_000_000 } })];
    expect(await idOf(decide({ current: snapshotOf(paid, [0, 1]) }))).to.equal('paid');
    expect(await idOf(decide({ current: snapshotOf(paid, [0, 30]) }))).to.equal('plain');
  });
});

describe('eligibility', () => {
  const creative = testCreative('one', { categories: ['Loans', 'Cars'], advertiser: 'Rebate & Reason' });
  const by = (settings: Partial<typeof publisher>): Requester => ({
    ...requester,
    publisher: { ...publisher, ...settings },
  });

  it('excludes creatives on the publisher’s block lists, ignoring case', () => {
    expect(ineligibility(creative, requester)).to.equal(null);
    expect(ineligibility(creative, by({ blockedCategories: ['Boats', 'CARS'] }))).to.equal('blocked-category');
    expect(ineligibility(creative, by({ blockedCategories: ['Boats'] }))).to.equal(null);
    for (const spelling of ['rebate & REASON', 'Re\u00adbate\u00a0 &  Reason']) {
      expect(ineligibility(creative, by({ blockedAdvertisers: [spelling] }))).to.equal('blocked-advertiser');
    }
    expect(ineligibility(testCreative('two'), by({ blockedAdvertisers: ['null', ''] }))).to.equal(null);
    const both = by({ blockedCategories: ['loans'], blockedAdvertisers: ['rebate & reason'] });
    expect(ineligibility(creative, both)).to.equal('blocked-category');
  });

  it('reads a publisher’s block list once, however many creatives are compared with it', () => {
    let read = 0;
    const listed = Object.defineProperty(['', 'boats'], 0, { get: () => (read++, 'Glücksspiel'), enumerable: true });
    const somebody = by({ blockedCategories: listed });
    for (let at = 0; at < 100; at++) expect(ineligibility(creative, somebody)).to.equal(null);
    expect(read).to.equal(1);
    expect(ineligibility({ ...creative, categories: ['GLÜCKSSPIEL'] }, somebody)).to.equal('blocked-category');
  });

  it('excludes what the request does: names whatever their spelling, ads by their exact id', () => {
    const excluding = (exclude: Exclude): Requester => ({ ...requester, excluded: excludedBy(exclude) });
    for (const exclude of [
      { creatives: ['two', creative.id] },
      { categories: ['cars', 'LOANS'] },
      { advertisers: ['rebate & REASON'] },
      { advertisers: ['Re\u00adbate\u00a0 &  Reason'] },
    ]) {
      expect(ineligibility(creative, excluding(exclude)), JSON.stringify(exclude)).to.equal('excluded');
    }
    for (const exclude of [
      {},
      { creatives: [creative.id.toUpperCase(), 'Loans', creative.advertiser!] },
      { categories: ['Boats', creative.id], advertisers: ['Rebate', 'loans'] },
    ]) {
      expect(ineligibility(creative, excluding(exclude)), JSON.stringify(exclude)).to.equal(null);
    }
    const paid = { ...feedRules, effective: (each: Creative) => ({ ...each, advertiser: 'Other' }) };
    for (const advertisers of [['Other'], [creative.advertiser!]])
      expect(ineligibility(creative, excluding({ advertisers }), paid)).to.equal('excluded');
  });

  it('checks the campaign’s dates first, and uses the terms in force', () => {
    const ended = { ...creative, endsAt: new Date(requester.now).toISOString() };
    expect(ineligibility(ended, by({ blockedCategories: ['Loans'] }))).to.equal('ended');
    const campaigns = { ...feedRules, effective: (each: Creative) => ({ ...each, advertiser: 'Other' }) };
    expect(ineligibility(creative, by({ blockedAdvertisers: ['Other'] }), campaigns)).to.equal('blocked-advertiser');
  });

  it('has a cache owner of publisher and session, and none without a session', () => {
    expect(ownerOf(requester)).to.equal('["Garden","s"]');
    expect(ownerOf({ ...requester, session: undefined })).to.equal(null);
  });
});

describe('a ranking', () => {
  it('has the requested number of ads, most relevant first', async () => {
    const creatives = [30, 0, 20, 10].map((degrees) => testCreative(`at-${degrees}`));
    const ranker = createRanker(planar(), plainModel('planar'));
    const prepared = await ranker.prepare(readConversation({ context: '0 degrees' }), null);
    const idsOf = async (count: number) => {
      const ranked = await ranker.rank(prepared, snapshotOf(creatives, [30, 0, 20, 10]), null, count);
      return ranked.map(({ creative }) => creative.id);
    };
    expect(await idsOf(10)).to.deep.equal(['at-0', 'at-10', 'at-20', 'at-30']);
    expect(await idsOf(2)).to.deep.equal(['at-0', 'at-10']);
  });

  it('adds the advertisable signals of the whole and the newest turn', async () => {
    const signals = (whole: number, turn: number) => ({
      sensitive: { whole: 0, turn: 0 },
      advertisable: { whole, turn },
      topics: new Float32Array(),
    });
    const said: Encoder = {
      ...planar(),
      encodeWithSignals: (text) =>
        Promise.resolve({
          vector: Float32Array.of(1, 0),
          signals: text.includes('\n') ? signals(3, 100) : signals(200, 4),
        }),
    };
    const talk = readConversation({ context: 'User: one\nAssistant: ok\nUser: two' });
    expect((await createRanker(said, plainModel('planar')).prepare(talk, null)).advertisable).to.equal(7);
    const none = await createRanker(planar(), plainModel('planar')).prepare(talk, null);
    expect(none.advertisable).to.equal(null);
  });
});
