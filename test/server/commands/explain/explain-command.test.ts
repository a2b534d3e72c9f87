import { expect } from 'chai';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Explanation } from '../../../../server/explain/explanation.js';
import { Installation } from '../../../support/installation.js';
import { OBVIOUS } from '../../../support/obvious.js';
import { copySampleIndex } from '../../../support/sample-index.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

describe('npm run explain', function () {
  this.timeout(60_000);
  const folder = temporaryDirectory();
  const installation = new Installation(join(folder, 'data'));
  before(() => copySampleIndex(installation.dataDir));
  after(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]) => installation.run('server/commands/explain/main.js', ...args);

  it('prints the conversation as read, floor, ten creatives and the result, and writes nothing to disk', async () => {
    const files = () => listed(installation.dataDir);
    const before = files();
    const text = await run(OBVIOUS[1]![0]);
    expect(files()).to.deep.equal(before);
    expect(text)
      .to.include('planning a ski trip')
      .and.include('fitted with the model')
      .and.include('\nlanguage     English (en)\n')
      .and.match(/│ +10 │/)
      .and.include('relevance: their sum, the order');
    expect(text).to.match(/^AD: ".+" \(ski-1\) is the most relevant/m);
    expect(await run('User: thanks, that helped a lot')).to.match(/^NO AD, /m);
  });

  it('reads messages from a file and a publisher’s settings, and prints the explanation as JSON', async () => {
    await installation.createKey('--publisher', 'Blocker');
    await installation.run(
      'server/commands/keys/main.js',
      'set',
      '--publisher',
      'Blocker',
      '--block-category',
      'Skiing',
      '--new',
      '--floor',
      '0.42',
    );
    const file = join(folder, 'messages.json');
    writeFileSync(file, JSON.stringify([{ role: 'user', content: OBVIOUS[1]![0] }]));
    const explanation = JSON.parse(await run('--messages', file, '--publisher', 'Blocker', '--json')) as Explanation;
    expect(explanation.floor).to.deep.equal({ value: 0.42, from: 'publisher' });
    expect(explanation.read.from).to.equal('messages');
  });

  it('respects takedowns by command, as the running server does', async () => {
    await installation.run('server/commands/creatives/main.js', 'block', 'ski-1');
    try {
      expect(await run(OBVIOUS[1]![0]))
        .to.not.match(/^AD: ".+" \(ski-1\)/m)
        .and.to.include('taken down');
    } finally {
      await installation.run('server/commands/creatives/main.js', 'unblock', 'ski-1');
    }
    expect(await run(OBVIOUS[1]![0])).to.match(/^AD: ".+" \(ski-1\)/m);
  });

  it('says that budgets are not checked if the ad’s campaign has one, by feed or command, and only then', async () => {
    const feed = join(folder, 'budgets.jsonl');
    const row = {
      id: 'sale',
      name: 'Ski sale',
      text: 'Skis and boots for beginners.',
      landingUrl: 'https://ski.example/',
    };
    const budgeted = new Installation(join(folder, 'budgets'));
    const index = async (more: object) => {
      writeFileSync(feed, `${JSON.stringify({ ...row, campaign: 'Winter', ...more })}\n`);
      await budgeted.run('indexer/main.js', feed);
    };
    const explain = (...args: string[]) =>
      budgeted.run('server/commands/explain/main.js', 'User: where do I buy skis and boots for beginners?', ...args);
    await index({});
    expect(await explain())
      .to.match(/^AD: /m)
      .and.not.include('not checked');
    await index({ dailyBudgetMicros: 5_000_000, pricing: { model: 'cpm', micros: 2_000_000 } });
    expect(await explain()).to.match(/^AD: .*\nIts campaign has a budget; budgets and pacing are not checked here/m);
    expect(JSON.parse(await explain('--json'))).to.have.nested.property('outcome.filled', true);
    await index({});
    await budgeted.run('server/commands/campaigns/main.js', 'set', 'Winter', '--budget', '9');
    expect(await explain()).to.include('budgets and pacing are not checked here');
  });

  it('refuses invalid input with the reason', async () => {
    const silent = join(folder, 'silent.json');
    writeFileSync(silent, JSON.stringify([{ role: 'system', content: 'Be kind.' }]));
    for (const [args, reason] of [
      [[], 'give a context'],
      [['   '], 'context must not be blank'],
      [['skis', '--publisher', 'Nobody there'], 'there is no publisher "Nobody there"'],
      [['skis', '--publisher', 'blokcer'], 'there is no publisher "blokcer"; near it: "Blocker"'],
      [['skis', '--snapshot', 'ffff'], 'there is no snapshot "ffff"'],
      [['skis', '--at', 'soon'], '--at must be a date-time'],
      [['--messages', silent], ':\nmessages must contain text of the user or the assistant\n'],
    ] as const) {
      const failure = await run(...args).then(() => 'no failure', String);
      expect(failure).to.include('ended with 2').and.include(reason);
    }
  });

  it('applies start and end dates as of the given moment', async () => {
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

/** Lists every file below a folder with its size and time. */
function listed(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
}
