import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROFILES, readProfile } from '../../../../models/encoder/profile.js';
import {
  calibratedFile,
  type DecisionModel,
  loadDecisionModel,
  modelText,
} from '../../../../models/scoring/decision-model.js';
import type { Calibrated } from '../../../../server/commands/calibrate/calibrate.js';
import type { Explanation } from '../../../../server/explain/explanation.js';
import { Installation } from '../../../support/installation.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const everyday = fileURLToPath(new URL('../../../../../test/eval/everyday', import.meta.url));
const bundledFile = fileURLToPath(new URL('../../../../../models/adjacent-small/decision.json', import.meta.url));
const { encoder } = JSON.parse(readFileSync(bundledFile, 'utf8')) as DecisionModel;
const bundled = loadDecisionModel('/nowhere', encoder);
const contexts = path.join(everyday, 'contexts.dev.jsonl');

type CalibrateOutput = Pick<Calibrated, 'before' | 'after' | 'sets' | 'floors'>;

/** Uses the catalogue and dev contexts of the everyday set, through the real commands. */
describe('npm run calibrate', function () {
  this.timeout(60_000);
  let dataDir: string;
  let installation: Installation;
  before(async () => {
    dataDir = temporaryDirectory();
    installation = new Installation(dataDir);
    await installation.run('indexer/main.js', path.join(everyday, 'creatives.jsonl'));
  });
  beforeEach(() => rmSync(calibratedFile(dataDir), { force: true }));
  after(async () => {
    await installation.end();
    rmSync(dataDir, { recursive: true });
  });

  const run = (...args: string[]) => installation.run('server/commands/calibrate/main.js', ...args);

  it('fits score and floor, writes a model that decisions then use, and prints what changed', async () => {
    const text = await run(contexts, '--precision', '0.85');
    const { score, floor, ...parts } = loadDecisionModel(dataDir, encoder);
    const { score: old, floor: oldFloor, ...others } = bundled;
    expect(parts).to.deep.equal(others);
    expect(score.weights).to.not.deep.equal(old.weights);
    for (const weight of score.weights) expect(weight).to.be.at.least(0);
    expect(floor).to.be.within(0.5, 1);
    for (const [name, from, to] of [
      ['relevance', old.weights[0], score.weights[0]],
      ['floor', oldFloor, floor],
    ] as const) {
      expect(text).to.match(new RegExp(`^${name} +${from} → ${to}$`, 'm'));
    }
    expect(text).to.include('uses it after a restart');
    const json = await installation.run('server/commands/explain/main.js', 'User: budget app', '--json');
    expect((JSON.parse(json) as Explanation).floor).to.deep.equal({ value: floor, from: 'model' });
  });

  it('prints the same with --dry-run, and writes nothing', async () => {
    const output = JSON.parse(await run(contexts, '--precision', '0.85', '--dry-run', '--json')) as CalibrateOutput;
    expect(existsSync(calibratedFile(dataDir))).to.equal(false);
    const [set] = output.sets;
    // Borderline contexts are not fitted to.
    const lines = readFileSync(contexts, 'utf8').trim().split('\n');
    expect(set!.contexts).to.equal(lines.filter((line) => !/"borderline": ?true/.test(line)).length);
    expect(set!.after.ece).to.be.within(0, 0.15);
    const chosen = output.floors.find(({ floor }) => floor === output.after.floor)!;
    expect(chosen.precision).to.be.at.least(0.85);
  });

  it('corrects a score that is too high', async () => {
    const overconfident = { ...bundled, score: { weights: [3.5, 0, 6.5] as const, bias: 6 } };
    writeFileSync(calibratedFile(dataDir), modelText(overconfident));
    const output = JSON.parse(await run(contexts, '--precision', '0.8', '--json')) as CalibrateOutput;
    expect(output.sets[0]!.before.ece).to.be.above(0.2);
    expect(output.sets[0]!.after.ece).to.be.below(output.sets[0]!.before.ece / 2);
    expect(output.sets[0]!.after.logLoss).to.be.below(output.sets[0]!.before.logLoss);
    expect(loadDecisionModel(dataDir, encoder).score).to.deep.equal(output.after.score);
  });

  it('accepts sets with their own catalogues; a dry run leaves no files of them', async () => {
    const temporary = path.join(dataDir, 'temporary');
    mkdirSync(temporary);
    const other = new Installation(dataDir, { TMPDIR: temporary });
    const args = ['--sets', everyday, '--floor', '0.7', '--dry-run', '--json'];
    const output = JSON.parse(await other.run('server/commands/calibrate/main.js', ...args)) as CalibrateOutput;
    expect(output.sets.map(({ name }) => name)).to.deep.equal(['everyday']);
    expect(output.after.floor).to.equal(0.7);
    expect(existsSync(path.join(dataDir, 'eval'))).to.equal(false);
    // The encoder's runtime leaves its own files here.
    expect(readdirSync(temporary).filter((name) => name.startsWith('adjacent-'))).to.deep.equal([]);
  });

  it('names an invalid line before it indexes anything, and creatives missing from a set’s own catalogue', async () => {
    const set = path.join(dataDir, 'a-set');
    mkdirSync(set);
    const failure = () => run('--sets', set, '--dry-run').then(() => 'no failure', String);
    writeFileSync(path.join(set, 'contexts.jsonl'), '{"context":"skis","relevant":["x"]}\n{"context":5}\n');
    expect(await failure()).to.include('contexts.jsonl line 2: context');
    writeFileSync(path.join(set, 'contexts.jsonl'), '{"context":"skis","relevant":["x"]}\n');
    writeFileSync(
      path.join(set, 'creatives.jsonl'),
      readFileSync(path.join(everyday, 'creatives.jsonl'), 'utf8').split('\n')[0]!,
    );
    expect(await failure())
      .to.include('none of the 1 creatives that it calls relevant are in snapshot')
      .and.include(`Add the ads that it names to ${path.join(set, 'creatives.jsonl')}`)
      .and.not.include('--snapshot');
  });

  it('indexes sets with a fetched model too', async () => {
    const { directory } = readProfile(PROFILES.fast, '');
    const fetched = path.join(dataDir, 'models/somebody/small');
    mkdirSync(path.dirname(fetched), { recursive: true });
    symlinkSync(directory, fetched);
    const other = new Installation(dataDir, { MODEL: 'somebody/small?contextTokens=100' });
    const args = ['--sets', everyday, '--floor', '0.7', '--dry-run', '--json'];
    const output = JSON.parse(await other.run('server/commands/calibrate/main.js', ...args)) as CalibrateOutput;
    expect(output.sets.map(({ name }) => name)).to.deep.equal(['everyday']);
  });

  it('leaves out contexts whose right creatives are not in the catalogue, and prints how many', async () => {
    const lines = readFileSync(contexts, 'utf8').trim().split('\n');
    const foreign = Array.from({ length: 30 }, (_, at) => ({ context: `User: ${at}`, relevant: [`foreign-${at}`] }));
    const file = path.join(dataDir, 'mixed.jsonl');
    writeFileSync(file, [...lines, ...foreign.map((line) => JSON.stringify(line))].join('\n'));
    const asked = ['--floor', '0.7', '--dry-run', '--json'];
    const { stdout, stderr } = await installation.attempt('server/commands/calibrate/main.js', file, ...asked);
    expect(stderr).to.match(/75 of the 105 creatives .* are in snapshot \w+; "foreign-0" is not. 30 of \d+ contexts/);
    expect((JSON.parse(stdout) as CalibrateOutput).sets).to.deep.equal(
      (JSON.parse(await run(contexts, ...asked)) as CalibrateOutput).sets.map((set) => ({
        ...set,
        name: 'mixed.jsonl',
      })),
    );
  });

  it('accepts twenty contexts, stays near the current values, and keeps the floor', async () => {
    const lines = readFileSync(contexts, 'utf8').trim().split('\n');
    const clear = lines.filter((line) => !/"borderline": ?true/.test(line));
    const file = path.join(dataDir, 'twenty.jsonl');
    writeFileSync(
      file,
      clear
        .filter((_, at) => at % Math.floor(clear.length / 20) === 0)
        .slice(0, 20)
        .join('\n'),
    );
    const { before, after, sets } = JSON.parse(await run(file, '--json')) as CalibrateOutput;
    expect(sets[0]!.contexts).to.equal(20);
    expect(after.score).to.not.deep.equal(before.score);
    for (const [at, weight] of after.score.weights.entries()) {
      expect(weight).to.be.closeTo(before.score.weights[at]!, 1);
    }
    expect(after.score.bias).to.be.closeTo(before.score.bias, 1);
    expect(after.floor).to.equal(before.floor);
    expect(loadDecisionModel(dataDir, encoder).score).to.deep.equal(after.score);
  });

  it('refuses contexts that it cannot fit to, and keeps the current model', async () => {
    const lines = readFileSync(contexts, 'utf8').split('\n');
    const write = (name: string, text: string): string => {
      writeFileSync(path.join(dataDir, name), text);
      return path.join(dataDir, name);
    };
    for (const [args, reason] of [
      [
        [write('torn.jsonl', [...lines, ...contradictions(lines)].join('\n')), '--precision', '1'],
        'no floor makes 100.0 % of',
      ],
      [[write('few.jsonl', lines.slice(0, 15).join('\n'))], 'calibration needs 20 contexts at least'],
      [
        [write('foreign.jsonl', '{"context":"skis","relevant":["x"]}\n')],
        'none of the 1 creatives that it calls relevant are in snapshot',
      ],
      [[write('unknown.jsonl', '{"context":"skis"}\n')], 'calibration needs "relevant" in every context'],
      [[contexts, '--precision', '2'], '--precision must be a number from 0 to 1'],
      [['--sets', dataDir], 'holds neither contexts.dev.jsonl nor contexts.jsonl'],
    ] as const) {
      const failure = await run(...args).then(() => 'no failure', String);
      expect(failure).to.include(reason);
      expect(existsSync(calibratedFile(dataDir))).to.equal(false);
    }
  });
});

/** Repeats every context with the right answers of another one, so that no score can separate right from wrong. */
function contradictions(lines: readonly string[]): string[] {
  const parsed = lines.filter(Boolean).map((line) => JSON.parse(line) as { context: string; relevant: string[] });
  const answerable = parsed.filter(({ relevant }) => relevant.length > 0);
  const half = answerable.length / 2;
  return answerable.map(({ context }, at) =>
    JSON.stringify({ context, relevant: answerable[(at + half) % answerable.length]!.relevant }),
  );
}
