import { expect } from 'chai';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED_MODEL, readProfile } from '../../../../models/encoder/profile.js';
import { createEncoder, type EncoderPool } from '../../../../models/encoder/pool.js';
import type { LoadedSnapshot } from '../../../../models/snapshot/load-snapshot.js';
import { createDecide } from '../../../../server/decide/decide.js';
import type { Requester } from '../../../../server/domain/decision.js';
import { createExplain, type Explain } from '../../../../server/explain/explain.js';
import type { Explanation } from '../../../../server/explain/explanation.js';
import { defaultSettings } from '../../../../server/keys/key-file.js';
import { openOffline } from '../../../../server/commands/shared/offline.js';
import { Installation } from '../../../support/installation.js';
import { NO_AD, OBVIOUS } from '../../../support/obvious.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

/** The sample catalogue, the bundled encoder, and the code that answers matches beside the one that explains them. */
describe('explaining a decision', function () {
  this.timeout(60_000);
  let folder: string;
  let installation: Installation;
  let encoder: EncoderPool;
  let snapshot: LoadedSnapshot;
  let explain: Explain;
  const now = Date.now();
  const somebody: Requester = { publisher: { ...defaultSettings('Somebody'), test: false }, session: undefined, now };
  const config = () => ({ dataDir: installation.dataDir, floor: null });

  before(async () => {
    folder = temporaryDirectory();
    mkdirSync(join(folder, 'data'));
    installation = new Installation(join(folder, 'data'));
    await installation.indexSample();
    const offline = await openOffline({ dataDir: installation.dataDir, model: null, workers: 1 });
    snapshot = await offline.snapshot();
    await offline.close();
    encoder = await createEncoder(readProfile(BUNDLED_MODEL, ''), { workers: 1 });
    explain = createExplain({ encoder, index: { current: () => snapshot }, config: config() });
  });
  after(async () => {
    await encoder.close();
    await installation.end();
    rmSync(folder, { recursive: true });
  });

  it('names the same answer as the decision itself, with the same score, for ads and no ads alike', async () => {
    const decide = createDecide({ encoder, index: { current: () => snapshot }, config: config() });
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
      for (const requester of [somebody, strict]) {
        const decision = await decide({ context }, requester);
        const { outcome } = await explain({ context }, requester);
        const explained = outcome.filled ? { id: outcome.creativeId, score: outcome.score } : outcome.reason;
        expect(explained, context).to.deep.equal(
          decision.filled ? { id: decision.creative.id, score: decision.score } : decision.reason,
        );
      }
    }
  });

  it('shows the ten most relevant creatives with the figures that their place comes from', async () => {
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

  it('gives each filter its word, and the winner with its place among all', async () => {
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

  it('tells when the filters leave nothing', async () => {
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

  it('says whose floor it is: the publisher’s before the setting’s before the model’s', async () => {
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

  it('shows what was read: turns from messages or text, the last user turn and how much it counted', async () => {
    const messages = [
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
    expect(read.lastTurnShare).to.be.within(0.05, 1.5);
    expect((await explain({ context: 'User: hi\nAssistant: hello\nUser: skis?' }, somebody)).read.turns).to.have.length(
      3,
    );
  });

  it('tells what the gate heard, also in an old turn, and what would have been shown without it', async () => {
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

  it('without a catalogue says so', async () => {
    const none = createExplain({ encoder, index: { current: () => null }, config: config() });
    const { outcome, catalogue } = await none({ context: 'User: skis' }, somebody);
    expect(outcome).to.include({ filled: false, reason: 'no-catalogue' });
    expect(catalogue).to.equal(null);
  });

  describe('as a command', () => {
    const run = (...args: string[]) => installation.run('server/commands/explain/main.js', ...args);

    it('prints what was read, floor, ten creatives and the answer, and writes nothing to the disk', async () => {
      const files = () => listed(installation.dataDir);
      const before = files();
      const text = await run(OBVIOUS[1]![0]);
      expect(files()).to.deep.equal(before);
      expect(text)
        .to.include('planning a ski trip')
        .and.include('fitted with the model')
        .and.match(/│ +10 │/)
        .and.include('relevance: their sum, the order');
      expect(text).to.match(/^AD: ".+" \(ski-1\) is the most relevant/m);
      expect(await run('User: thanks, that helped a lot')).to.match(/^NO AD, /m);
    });

    it('reads messages from a file, a publisher’s settings, and gives the explanation as JSON', async () => {
      await installation.createKey('--publisher', 'Blocker');
      await installation.run(
        'server/commands/keys/main.js',
        'set',
        '--publisher',
        'Blocker',
        '--block-category',
        'Skiing',
        '--floor',
        '0.42',
      );
      const file = join(folder, 'messages.json');
      writeFileSync(file, JSON.stringify([{ role: 'user', content: OBVIOUS[1]![0] }]));
      const explanation = JSON.parse(await run('--messages', file, '--publisher', 'Blocker', '--json')) as Explanation;
      expect(explanation.floor).to.deep.equal({ value: 0.42, from: 'publisher' });
      expect(explanation.read.from).to.equal('messages');
    });

    it('refuses what it cannot use, with the reason', async () => {
      for (const [args, reason] of [
        [[], 'give a context'],
        [['   '], 'context must not be blank'],
        [['skis', '--publisher', 'Nobody there'], 'there is no publisher "Nobody there"'],
        [['skis', '--publisher', 'blokcer'], 'there is no publisher "blokcer"; near it: "Blocker"'],
        [['skis', '--snapshot', 'ffff'], 'there is no snapshot "ffff"'],
        [['skis', '--at', 'soon'], '--at must be a date-time'],
      ] as const) {
        const failure = await run(...args).then(() => 'no failure', String);
        expect(failure).to.include('ended with 2').and.include(reason);
      }
    });

    it('judges start and end dates as of the moment asked for', async () => {
      const feed = join(folder, 'dated.jsonl');
      const row = {
        id: 'sale',
        name: 'Ski sale',
        text: 'Skis and boots.',
        landingUrl: 'https://ski.example/',
        startsAt: '2031-01-01',
      };
      writeFileSync(feed, `${JSON.stringify(row)}\n`);
      const dated = new Installation(join(folder, 'dated'));
      await dated.run('indexer/main.js', feed);
      const at = async (moment: string) => {
        const json = await dated.run('server/commands/explain/main.js', 'User: skis', '--at', moment, '--json');
        return (JSON.parse(json) as Explanation).rows[0]!.filter;
      };
      expect(await at('2030-12-31T23:59:59Z')).to.equal('not-started');
      expect(await at('2031-01-01T00:00:00Z')).to.equal(null);
    });
  });
});

/** Every file below a folder with its size and time. */
function listed(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
}
