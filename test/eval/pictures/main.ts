import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEncoder } from '../../../models/encoder/pool.js';
import { BUNDLED_MODEL, readProfile } from '../../../models/encoder/profile.js';
import { loadDecisionModel } from '../../../models/scoring/decision-model.js';
import { byDirectory, indexSet } from '../../../server/commands/calibrate/index-set.js';
import { asksForHelp } from '../../../server/commands/shared/run-command.js';
import { evaluate } from '../evaluate.js';
import type { Judged } from '../metrics.js';
import { productRanker } from '../rankers.js';
import { readJsonLines, type EvalContext } from '../set.js';
import { precisionCurve, reliabilityCurve, type CurvePoint } from './curves.js';
import { draw } from './draw.js';

// `npm run pictures`: how honest the score is and what it buys, on the test splits, as SVG beside this file's source.
const usage = `Usage: npm run pictures

Draws reliability, and precision versus fill, of the test splits into test/eval/pictures/ as SVG. Takes a few minutes.

  MODEL, DATA_DIR, WORKERS   as variables, as for the server (default: the bundled encoder, ./data, 2)

Example: npm run pictures
`;
if (asksForHelp(process.argv.slice(2))) {
  process.stdout.write(usage);
  process.exit();
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const sets = ['star', 'clinc', 'everyday'];
const dataDir = path.resolve(process.env['DATA_DIR'] ?? path.join(root, 'data'));
const workers = Number(process.env['WORKERS'] ?? 2);
const setting = process.env['MODEL'] ?? BUNDLED_MODEL;
const profile = readProfile(setting, path.join(dataDir, 'models'));
const encoder = await createEncoder(profile, { workers, queueLimit: Infinity });
try {
  const model = loadDecisionModel(dataDir, encoder.fingerprint);
  const honest: CurvePoint[] = [];
  const bought: CurvePoint[] = [];
  for (const set of sets) {
    const directory = path.join(root, 'test', 'eval', set);
    const snapshot = await indexSet(directory, path.join(dataDir, 'eval', set), encoder, byDirectory(setting, profile));
    const contexts = readJsonLines<EvalContext>(path.join(directory, 'contexts.test.jsonl')).filter(
      ({ borderline }) => !borderline,
    );
    const { run } = await evaluate(contexts, productRanker(encoder, snapshot, model), undefined, workers * 2);
    const judged = contexts.map(({ relevant }, at): Judged => ({ relevant, ranked: run[at]!.ranked }));
    honest.push(...reliabilityCurve(set, judged));
    bought.push(...precisionCurve(set, judged));
    process.stderr.write(`${set}: ${judged.length} contexts\n`);
  }
  await write('reliability.svg', {
    title: 'Reliability: is a score a probability?',
    x: 'score (mean of 15 bins of equal size)',
    y: 'share of right ads',
    from: 0,
    diagonal: true,
    points: honest,
  });
  await write('precision-fill.svg', {
    title: 'Precision versus fill, floor by floor',
    x: 'fill (of contexts with a right ad)',
    y: 'right ads among the shown',
    from: 0.5,
    diagonal: false,
    points: bought,
  });
} finally {
  await encoder.close();
}

async function write(name: string, diagram: Parameters<typeof draw>[0]): Promise<void> {
  const file = path.join(root, 'test', 'eval', 'pictures', name);
  writeFileSync(file, await draw(diagram));
  process.stdout.write(`${path.relative(root, file)}\n`);
}
