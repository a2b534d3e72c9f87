import { expect } from 'chai';
import { rmSync } from 'node:fs';
import type { EncoderPool } from '../../../models/encoder/pool.js';
import { memorySearch } from '../../../models/index/catalogue-search.js';
import { exactIndex } from '../../../models/index/vector-index.js';
import type { Creative } from '../../../models/schema/creative.js';
import type { Message } from '../../../models/schema/match-request.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { feedRules } from '../../../server/campaigns/campaigns.js';
import { createDecide } from '../../../server/decide/decide.js';
import type { DecideOptions } from '../../../server/decide/decision-steps.js';
import type { Requester } from '../../../server/domain/decision.js';
import { createExplain, type Explain } from '../../../server/explain/explain.js';
import { defaultSettings } from '../../../server/keys/key-file.js';
import { openOffline } from '../../../server/commands/shared/offline.js';
import { bundledEncoder } from '../../support/bundled-encoder.js';
import { Installation } from '../../support/installation.js';
import { NO_AD, OBVIOUS } from '../../support/obvious.js';
import { copySampleIndex } from '../../support/sample-index.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Compares explanations with decisions, on the sample catalogue with the bundled encoder. */
describe('explaining a decision', function () {
  this.timeout(60_000);
  let installation: Installation;
  let encoder: EncoderPool;
  let snapshot: LoadedSnapshot;
  let explain: Explain;
  const now = Date.now();
  // Accepts the sample's ads in other languages, which would otherwise be kept out of every count here.
  const foreignLanguages = ['de', 'es', 'ja', 'hi'];
  const publisher = { ...defaultSettings('Somebody'), test: false, foreignLanguages };
  const somebody: Requester = { publisher, session: undefined, now };
  const config = () => ({ dataDir: installation.dataDir, floor: null });

  before(async () => {
    installation = new Installation(temporaryDirectory());
    await copySampleIndex(installation.dataDir);
    const offline = await openOffline({
      dataDir: installation.dataDir,
      profile: 'fast',
      model: null,
      languages: 'en',
      workers: 1,
    });
    snapshot = await offline.snapshot();
    await offline.close();
    encoder = await bundledEncoder();
    explain = createExplain({ encoder, index: { current: () => snapshot }, config: config() });
  });
  after(async () => {
    await encoder.close();
    await installation.end();
    rmSync(installation.dataDir, { recursive: true });
  });

  /** Decides and explains, and expects the same result. @returns the ad's id, or the reason for no ad */
  const resultOf = async (
    context: string,
    requester: Requester = somebody,
    options: Partial<DecideOptions> = {},
  ): Promise<string> => {
    const all = { encoder, index: { current: () => snapshot }, config: config(), ...options };
    const { outcome } = await createExplain(all)({ context }, requester);
    const decision = await createDecide(all)({ context }, requester);
    const explained = outcome.filled ? { id: outcome.creativeId, score: outcome.score } : outcome.reason;
    expect(explained, context).to.deep.equal(
      decision.filled ? { id: decision.creative.id, score: decision.score } : decision.reason,
    );
    return decision.filled ? decision.creative.id : decision.reason;
  };

  it('has the same outcome and score as the decision itself, with and without an ad', async () => {
    const strict: Requester = {
      ...somebody,
      publisher: {
        ...somebody.publisher,
        floor: 0.5,
        blockedCategories: ['travel', 'home'],
        blockedAdvertisers: ['Farrowing Air'],
      },
    };
    for (const context of [...OBVIOUS.map(([context]) => context), ...NO_AD, 'User: cheap flights to Rome']) {
      for (const requester of [somebody, strict]) await resultOf(context, requester);
    }
  });

  it('has the same reason as the decision for no ad, at every step', async () => {
    const [context] = OBVIOUS[0]!;
    const german = 'User: ich suche neue Winterreifen für mein Auto';
    const nobody = { ...feedRules, ineligibility: () => 'paused' as const };
    const empty = { current: () => ({ ...snapshot, creatives: [] }) };
    expect(await resultOf(context, somebody, { index: { current: () => null } })).to.equal('no-catalogue');
    expect(await resultOf(german, somebody, { index: empty })).to.equal('no-catalogue');
    expect(await resultOf(german)).to.equal('language');
    expect(await resultOf('User: I want to kill myself')).to.equal('sensitive');
    expect(await resultOf(context, somebody, { campaigns: nobody })).to.equal('not-eligible');
    expect(await resultOf(context, somebody, { config: { ...config(), floor: 1 } })).to.equal('below-floor');
  });

  it('has the same winner as the decision among ten near-ties, also if its budget runs out meanwhile', async () => {
    const [context, id] = OBVIOUS[0]!;
    const best = snapshot.creatives.findIndex((creative) => creative.id === id);
    const vectors = snapshot.vectors.slice();
    const dims = vectors.length / snapshot.creatives.length;
    const creatives = snapshot.creatives.map((creative, at): Creative => {
      if (at >= 12) return creative;
      vectors.set(snapshot.vectors.subarray(best * dims, (best + 1) * dims), at * dims);
      return { ...snapshot.creatives[best]!, id: `tie-${at}`, pricing: { model: 'cpm', micros: (at + 1) * 1_000_000 } };
    });
    const search = memorySearch(exactIndex(vectors, dims), vectors, dims);
    const words = { find: () => ({ scores: new Map<number, number>(), rarity: 0 }) };
    const index = { current: () => ({ ...snapshot, creatives, vectors, search, words }) };
    expect(await resultOf(context, somebody, { index })).to.equal('tie-9');
    const seen = new WeakSet<Requester>();
    const ineligibility = (creative: Creative, requester: Requester) => {
      if (creative.id !== 'tie-9') return null;
      if (seen.has(requester)) return 'budget-spent' as const;
      seen.add(requester);
      return null;
    };
    expect(await resultOf(context, somebody, { index, campaigns: { ...feedRules, ineligibility } })).to.equal('tie-8');
  });

  it('records nothing', async () => {
    const [context] = OBVIOUS[0]!;
    const recorded: string[] = [];
    const campaigns = { ...feedRules, recordServed: ({ id }: Creative) => void recorded.push(id) };
    const explainThese = createExplain({ encoder, index: { current: () => snapshot }, config: config(), campaigns });
    expect((await explainThese({ context }, somebody)).outcome.filled).to.equal(true);
    expect(recorded).to.deep.equal([]);
  });

  it('shows the ten most relevant creatives with the figures behind their place', async () => {
    const [context, creative] = OBVIOUS[0]!;
    const { rows, outcome, catalogue } = await explain({ context }, somebody);
    expect(rows.map(({ place }) => place)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(rows[0]!.id).to.equal(creative);
    for (const [at, { similarity, lexical, relevance, score, filter }] of rows.entries()) {
      expect(relevance).to.be.closeTo(similarity + lexical, 1e-6);
      expect(relevance).to.be.at.most(rows[at - 1]?.relevance ?? 2);
      expect(score).to.be.within(0, 1);
      expect(filter).to.equal(null);
    }
    expect(outcome).to.include({ filled: true, creativeId: creative });
    expect(catalogue).to.deep.equal({ id: snapshot.id, name: 'creatives', creatives: snapshot.creatives.length });
  });

  it('names the filter that excluded a creative, and counts the creatives that each filter excluded', async () => {
    const context = 'User: cheap flights to Rome next weekend';
    const free = await explain({ context }, somebody);
    const blocked = { ...somebody.publisher, blockedCategories: ['Flights'] };
    const { rows, outcome, keptOut } = await explain({ context }, { ...somebody, publisher: blocked });
    expect(free.outcome).to.include({ filled: true });
    const first = rows[0]!;
    expect(first.id).to.equal(free.rows[0]!.id);
    expect(first.filter).to.equal('blocked-category');
    const flights = snapshot.creatives.filter(({ categories }) => categories.includes('Flights'));
    expect(keptOut).to.deep.equal({ 'blocked-category': flights.length });
    expect(outcome).to.not.include({ creativeId: first.id });
  });

  it('shows the conversation’s language, and marks ads for another language', async () => {
    const context = 'User: cheap flights to Rome next weekend';
    const { id } = (await explain({ context }, somebody)).rows[0]!;
    const creatives = snapshot.creatives.map((each) => (each.id === id ? { ...each, language: 'it' } : each));
    const current = () => ({ ...snapshot, creatives });
    const ofThese = createExplain({ encoder, index: { current }, config: config() });
    const decide = createDecide({ encoder, index: { current }, config: config() });
    const { read, rows, keptOut, outcome } = await ofThese({ context }, somebody);
    expect(read.language).to.equal('en');
    expect(rows[0]).to.include({ id, filter: 'language' });
    expect(keptOut).to.deep.equal({ language: 1 });
    expect(outcome).to.not.include({ creativeId: id });
    const decision = await decide({ context }, somebody);
    expect(decision.filled && decision.creative.id).to.equal(outcome.filled && outcome.creativeId);
    const accepting = { ...somebody.publisher, foreignLanguages: [...foreignLanguages, 'it'] };
    expect((await ofThese({ context }, { ...somebody, publisher: accepting })).keptOut).to.deep.equal({});
  });

  it('checks a large catalogue in batches, so that other requests run in between', async () => {
    const rest = Array.from({ length: 4500 }, (_, at) => ({ ...snapshot.creatives[0]!, id: `more-${at}` }));
    const current = () => ({ ...snapshot, creatives: [...snapshot.creatives, ...rest] });
    let asked = 0;
    const campaigns = { ...feedRules, ineligibility: () => (asked++, null) };
    const explainAll = createExplain({ encoder, index: { current }, config: config(), campaigns });
    const between = new Set<number>();
    let next: NodeJS.Immediate;
    const look = (): void => {
      between.add(asked);
      next = setImmediate(look);
    };
    next = setImmediate(look);
    await explainAll({ context: 'User: cheap flights to Rome' }, somebody);
    clearImmediate(next);
    expect([...between].filter((count) => count > 0 && count < current().creatives.length).length).to.be.above(1);
  });

  it('says when no creative passes the filters', async () => {
    const long = {
      ...somebody.publisher,
      blockedAdvertisers: [...new Set(snapshot.creatives.map((it) => it.advertiser ?? ''))],
    };
    const categories = [...new Set(snapshot.creatives.flatMap((creative) => creative.categories))];
    const publisher = { ...long, blockedCategories: categories };
    const { outcome, rows } = await explain({ context: 'User: cheap flights' }, { ...somebody, publisher });
    expect(outcome).to.include({ filled: false, reason: 'not-eligible' });
    expect(rows).to.have.length(10);
  });

  it('shows where the floor comes from: the publisher, else the setting, else the model', async () => {
    const withSetting = createExplain({
      encoder,
      index: { current: () => snapshot },
      config: { ...config(), floor: 0.3 },
    });
    const own = { ...somebody, publisher: { ...somebody.publisher, floor: 0.25 } };
    const floors = await Promise.all([
      withSetting({ context: 'User: skis' }, own),
      withSetting({ context: 'User: skis' }, somebody),
      explain({ context: 'User: skis' }, somebody),
    ]);
    expect(floors.map(({ floor }) => floor.from)).to.deep.equal(['publisher', 'setting', 'model']);
    expect(floors.slice(0, 2).map(({ floor }) => floor.value)).to.deep.equal([0.25, 0.3]);
  });

  it('shows the parsed conversation: turns from messages or text, and the last user turn', async () => {
    const messages: Message[] = [
      { role: 'system', content: 'You are helpful.' },
      { role: 'user', content: 'Tell me about volcanoes' },
      { role: 'assistant', content: 'They are vents in the crust.' },
      { role: 'user', content: 'Fine. Now: how do I start a podcast?' },
    ];
    const { read } = await explain({ context: 'something else', messages }, somebody);
    expect(read.from).to.equal('messages');
    expect(read.turns.map(({ speaker }) => speaker)).to.deep.equal(['user', 'assistant', 'user']);
    expect(read.last).to.equal('Fine. Now: how do I start a podcast?');
    expect(read.whole).to.include('volcanoes').and.not.include('something else');
    expect((await explain({ context: 'User: hi\nAssistant: hello\nUser: skis?' }, somebody)).read.turns).to.have.length(
      3,
    );
  });

  it('shows the topic that the gate detected, even in an old turn, and the ads withheld', async () => {
    const context = 'User: I want to kill myself\nAssistant: I am here. Are you safe?\nUser: cheap flights to Rome';
    const { gate, outcome, rows } = await explain({ context }, somebody);
    expect(gate.sensitive).to.equal(true);
    expect(outcome).to.include({ filled: false, reason: 'sensitive' });
    expect(outcome.because).to.include(gate.topic!);
    expect(rows).to.have.length(10);
    const accepting = { ...somebody.publisher, allowedTopics: [gate.topic!] };
    expect((await explain({ context }, { ...somebody, publisher: accepting })).gate.topic).to.not.equal(gate.topic);
    expect((await explain({ context: 'User: cheap flights to Rome' }, somebody)).gate.sensitive).to.equal(false);
  });

  it('says that there is no catalogue', async () => {
    const none = createExplain({ encoder, index: { current: () => null }, config: config() });
    const { outcome, catalogue } = await none({ context: 'User: skis' }, somebody);
    expect(outcome).to.include({ filled: false, reason: 'no-catalogue' });
    expect(catalogue).to.equal(null);
  });
});
