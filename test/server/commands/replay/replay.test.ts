import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPointer } from '../../../../models/snapshot/pointer.js';
import type { DecisionComparison } from '../../../../server/commands/replay/compare.js';
import { Installation } from '../../../support/installation.js';
import { NO_AD, OBVIOUS } from '../../../support/obvious.js';
import { copySampleIndex } from '../../../support/sample-index.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const sample = fileURLToPath(new URL('../../../../../indexer/sample/creatives.jsonl', import.meta.url));

/** Uses two real snapshots: the sample catalogue, and the same without its ski and podcast ads. */
describe('replaying conversations', function () {
  this.timeout(60_000);
  let folder: string;
  let installation: Installation;
  let contexts: string;
  let whole: string;
  let without: string;

  before(async () => {
    folder = temporaryDirectory();
    // Has the vectors of all texts, so that nothing is embedded.
    await copySampleIndex(folder);
    installation = new Installation(folder);
    contexts = join(folder, 'contexts.jsonl');
    const known = OBVIOUS.map(([context, creative]) => ({ context, relevant: [creative] }));
    const none = NO_AD.map((context) => ({ context, relevant: [] }));
    writeFileSync(contexts, [...known, ...none].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const rows = readFileSync(sample, 'utf8')
      .trim()
      .split('\n')
      .map((line) => ({ ...(JSON.parse(line) as { id: string }), image: undefined }));
    const index = async (name: string, kept: readonly { id: string }[]): Promise<string> => {
      const feed = join(folder, `${name}.jsonl`);
      writeFileSync(feed, kept.map((row) => `${JSON.stringify(row)}\n`).join(''));
      await installation.run('indexer/main.js', feed, '--allow-shrink');
      return (await readPointer(folder))[0]!;
    };
    without = await index(
      'without',
      rows.filter(({ id }) => !/^(ski|podcast)/.test(id)),
    );
    whole = await index('whole', rows);
  });
  after(async () => {
    await installation.end();
    rmSync(folder, { recursive: true });
  });

  const run = (...args: string[]) => installation.run('server/commands/replay/main.js', ...args);
  const compared = async (...args: string[]) =>
    JSON.parse(await run(contexts, '--json', ...args)) as DecisionComparison;

  it('finds the winners that another snapshot would change, with examples, and the effect on precision', async () => {
    const { before, after, changes, examples, contexts: count } = await compared('--against', without);
    expect(count).to.equal(OBVIOUS.length + NO_AD.length);
    const changed = new Set(examples.map(({ context }) => context));
    for (const [context, creative] of OBVIOUS) {
      expect(changed.has(context), context).to.equal(/^(ski|podcast)/.test(creative));
    }
    expect(changes.lost + changes.other).to.equal(2);
    expect(changes.same).to.equal(count - 2);
    expect(before.precision).to.equal(1);
    expect(after.shown).to.equal(before.shown - changes.lost);
    expect((await compared('--snapshot', without, '--against', whole)).changes).to.include({ gained: changes.lost });
  });

  it('finds only added ads with a lower floor, and an expected precision equal to the mean score of the shown ads', async () => {
    const low = await compared('--floor', '0');
    const { before, after, changes } = low;
    expect(changes).to.include({ lost: 0, gained: after.shown - before.shown });
    expect(after.shown).to.be.above(before.shown);
    expect(after.noFills['below-floor']).to.equal(undefined);
    expect(after.expectedPrecision).to.be.below(before.expectedPrecision!);
    const high = await compared('--floor', '1');
    expect(high.after).to.include({ shown: 0, fill: 0, expectedPrecision: null, precision: null });
    expect(high.changes.lost).to.equal(high.before.shown);
  });

  it('treats other languages as match does: by their own encoder or, if that is left out as here, without an ad', async () => {
    const file = join(folder, 'languages.txt');
    writeFileSync(
      file,
      'User: Ich suche eine gute Podcast-App mit Hörbüchern\n\nUser: ¿Dónde puedo comprar unos esquís nuevos?\n',
    );
    const { before } = JSON.parse(await run(file, '--json', '--floor', '0')) as DecisionComparison;
    expect(before).to.deep.include({ shown: 0, noFills: { language: 2 } });
  });

  it('reads plain text, and prints no precision if no right answers are known', async () => {
    const file = join(folder, 'plain.txt');
    writeFileSync(file, `${OBVIOUS[1]![0]}\n\nUser: thanks, that helped a lot\n`);
    const text = await run(file, '--floor', '0.1');
    expect(text)
      .to.match(/^2 conversations: /)
      .and.include('below-floor')
      .and.not.include('where known');
    expect((JSON.parse(await run(file, '--json')) as DecisionComparison).before).to.include({
      precision: null,
      judged: 0,
    });
  });

  it('reads messages without a context, and shows the roles', async () => {
    const file = join(folder, 'messages.jsonl');
    const messages = [
      { role: 'assistant', content: 'How can I help?' },
      { role: 'user', content: [{ type: 'text', text: 'planning a ski trip with two beginners' }] },
    ];
    writeFileSync(file, `${JSON.stringify({ messages, relevant: ['ski-1'] })}\n`);
    const { before, examples } = JSON.parse(await run(file, '--floor', '1', '--json')) as DecisionComparison;
    expect(before).to.include({ judged: 1, precision: 1 });
    expect(examples[0]?.context).to.equal('Assistant: How can I help?\nUser: planning a ski trip with two beginners');
  });

  it('does not count contexts as wrong if neither catalogue has their right creatives, and prints how many', async () => {
    const [context, creative] = OBVIOUS[1]!;
    const file = join(folder, 'half-foreign.jsonl');
    const lines = [creative, 'of-another-catalogue', 'nor-this'].map((id) => ({ context, relevant: [id] }));
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { stdout, stderr } = await installation.attempt('server/commands/replay/main.js', file, '--json');
    expect((JSON.parse(stdout) as DecisionComparison).before).to.include({ shown: 3, judged: 1, precision: 1 });
    expect(stderr)
      .to.include('1 of the 3 creatives that it calls relevant is in snapshot')
      .and.include('"of-another-catalogue" is not')
      .and.include('2 of 3 contexts')
      .and.include('--snapshot ID');
  });

  it('prints the end of a long conversation, starting at a word', async () => {
    const file = join(folder, 'long.txt');
    writeFileSync(file, `User: ${'somewhat '.repeat(30)}longwinded, but ${OBVIOUS[1]![0]}\n`);
    const shown = /^LOST: (.*)$/m.exec(await run(file, '--floor', '1'))?.[1];
    expect(shown)
      .to.match(/^…(somewhat )+longwinded, but /)
      .and.satisfy((text: string) => text.endsWith(OBVIOUS[1]![0]));
    expect(shown!.length).to.be.within(140, 160);
  });

  it('refuses a file that was made for another catalogue', async () => {
    const file = join(folder, 'foreign.jsonl');
    writeFileSync(file, `${JSON.stringify({ context: OBVIOUS[1]![0], relevant: ['of-another-catalogue'] })}\n`);
    const { code, stdout, stderr } = await installation.attempt(
      'server/commands/replay/main.js',
      file,
      '--against',
      without,
    );
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr)
      .to.match(/foreign\.jsonl: none of the 1 creatives .* are in snapshot \w+ or \w+; "of-another-catalogue" is not/)
      .and.include('npm run snapshots');
  });

  it('names the invalid line of a file', async () => {
    const file = join(folder, 'bad.jsonl');
    writeFileSync(file, '{"context":"skis"}\n{"context":5}\n');
    expect(await run(file).then(() => 'no failure', String))
      .to.include('ended with 2')
      .and.include('line 2: context');
    const none = await run(contexts, '--against', '0000000000000000').then(() => 'no failure', String);
    expect(none).to.include('there is no snapshot').and.include(whole);
  });
});
