import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { main, type Output } from '../../../platform/command-line/run-command.js';
import { createEncoder } from '../../../models/encoder/pool.js';
import { modelOf, readProfile } from '../../../models/encoder/profile.js';
import { byDirectory, indexSet } from '../../../server/commands/calibrate/index-set.js';
import { readCommand } from '../../../server/commands/shared/read-command.js';
import { evaluate } from '../evaluate.js';
import type { Judged } from '../metrics.js';
import { productRanker } from '../rankers.js';
import { readJsonLines, type EvalContext } from '../set.js';
import { precisionCurve, reliabilityCurve, type CurvePoint } from './curves.js';
import { draw } from './draw.js';

// `npm run pictures`: draws the reliability of the score, and precision by fill, on the test splits, as SVG next to
// this file's source.
const usage = `Usage: npm run pictures [-- options]

Draws reliability, and precision versus fill, of the test splits into test/eval/pictures/ as SVG. Takes a few minutes.

  --data-dir DIR   directory of calibration, models and indexed sets (default: the DATA_DIR setting, ./data)

Settings: DATA_DIR, MODEL, WORKERS

Example: npm run pictures
`;
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const sets = ['star', 'clinc', 'everyday'];

await main({
  usage,
  async run(argv, output) {
    const { config } = readCommand(argv, {}, 0);
    const { dataDir, workers } = config;
    const setting = modelOf(config);
    const profile = readProfile(setting, path.join(dataDir, 'models'));
    const encoder = await createEncoder(profile, { workers, queueLimit: Infinity });
    try {
      const honest: CurvePoint[] = [];
      const bought: CurvePoint[] = [];
      for (const set of sets) {
        const directory = path.join(root, 'test', 'eval', set);
        const snapshot = await indexSet(
          directory,
          path.join(dataDir, 'eval', set),
          encoder,
          byDirectory(setting, profile),
        );
        const contexts = readJsonLines<EvalContext>(path.join(directory, 'contexts.test.jsonl')).filter(
          ({ borderline }) => !borderline,
        );
        const { run } = await evaluate(contexts, productRanker(encoder, snapshot, dataDir), undefined, workers * 2);
        const judged = contexts.map(({ relevant }, at): Judged => ({ relevant, ranked: run[at]!.ranked }));
        honest.push(...reliabilityCurve(set, judged));
        bought.push(...precisionCurve(set, judged));
        output.err(`${set}: ${judged.length} contexts\n`);
      }
      await write(output, 'reliability.svg', {
        title: 'Reliability: is a score a probability?',
        x: 'score (mean of 15 bins of equal size)',
        y: 'share of right ads',
        from: 0,
        diagonal: true,
        points: honest,
      });
      await write(output, 'precision-fill.svg', {
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
  },
});

async function write(output: Output, name: string, diagram: Parameters<typeof draw>[0]): Promise<void> {
  const file = path.join(root, 'test', 'eval', 'pictures', name);
  writeFileSync(file, await draw(diagram));
  output.out(`${path.relative(root, file)}\n`);
}
