import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createEncoder, type EncoderPool } from '../../models/encoder/pool.js';
import { BUNDLED_MODEL, readProfile } from '../../models/encoder/profile.js';
import { loadDecisionModel } from '../../models/scoring/decision-model.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { indexSet } from '../../server/calibrate/index-set.js';
import { createDecide } from '../../server/decide/create-decide.js';
import { evaluate } from './evaluate.js';
import { bareRanker, productRanker, wordRanker, type EvalRanker } from './rankers.js';
import { contextFiles, readJsonLines, type EvalContext } from './set.js';

/** `npm run eval -- DIR`: one JSON object of metrics for a set, through the code that answers match. */
const usage =
  'Usage: npm run eval -- DIR [--split test] [--skip FLAG …] [--ranker adjacent|bare|bm25] [--floor X] [--run FILE]';

const { values, positionals } = readArguments();
const [directory] = positionals;
if (directory === undefined || !['adjacent', 'bare', 'bm25'].includes(values.ranker)) {
  console.error(usage);
  process.exit(2);
}

// A set's snapshots lie apart from the live catalogue; model and calibration are the operator's.
const dataDir = path.resolve(process.env['DATA_DIR'] ?? 'data');
const setDir = path.join(dataDir, 'eval', path.basename(path.resolve(directory)));
const workers = Number(process.env['WORKERS'] ?? 2);
const encoder = await createEncoder(readProfile(process.env['MODEL'] ?? BUNDLED_MODEL, path.join(dataDir, 'models')), {
  workers,
  queueLimit: Infinity,
});
try {
  const snapshot = await indexSet(directory, setDir, encoder);
  const floor = values.floor === undefined ? null : Number(values.floor);
  const decide =
    values.ranker === 'adjacent'
      ? createDecide({ encoder, index: { current: () => snapshot }, config: { dataDir, floor } })
      : undefined;
  const results: Record<string, unknown> = {};
  const lines: string[] = [];
  for (const file of contextFiles(directory, values.split)) {
    const contexts = readJsonLines<EvalContext>(file).filter((context) => !values.skip.some((flag) => context[flag]));
    const { summary, run } = await evaluate(contexts, rankerFor(values.ranker, encoder, snapshot), decide, workers * 2);
    results[path.basename(file, '.jsonl')] = summary;
    lines.push(...run.map((line) => `${JSON.stringify(line)}\n`));
  }
  if (values.run !== undefined) writeFileSync(values.run, lines.join(''));
  console.log(
    JSON.stringify(
      { set: path.basename(directory), ranker: values.ranker, creatives: snapshot.creatives.length, ...results },
      null,
      1,
    ),
  );
} finally {
  await encoder.close();
}

function rankerFor(name: string, encoder: EncoderPool, snapshot: LoadedSnapshot): EvalRanker {
  if (name === 'bm25') return wordRanker(snapshot);
  if (name === 'bare') return bareRanker(encoder, snapshot);
  return productRanker(encoder, snapshot, loadDecisionModel(dataDir, encoder.fingerprint));
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        split: { type: 'string', default: 'test' },
        skip: { type: 'string', multiple: true, default: [] },
        ranker: { type: 'string', default: 'adjacent' },
        floor: { type: 'string' },
        run: { type: 'string' },
      },
    });
  } catch {
    console.error(usage);
    return process.exit(2);
  }
}
