import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createEncoder, type EncoderPool } from '../../models/encoder/pool.js';
import { BUNDLED_MODEL, readProfile } from '../../models/encoder/profile.js';
import { loadDecisionModel } from '../../models/scoring/decision-model.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { byDirectory, indexSet } from '../../server/commands/calibrate/index-set.js';
import { asksForHelp } from '../../server/commands/shared/run-command.js';
import { createDecide } from '../../server/decide/decide.js';
import { evaluate } from './evaluate.js';
import { bareRanker, type EvalRanker, productRanker, wordRanker } from './rankers.js';
import { contextFiles, type EvalContext, readJsonLines } from './set.js';

/** `npm run eval -- DIR`: one JSON object of metrics for a set, through the code that answers match. */
const usage = `Usage: npm run eval -- DIR [options]

Ranks a set's contexts through the code that answers matches, and prints one JSON object of metrics.

  DIR              a folder with creatives.jsonl and contexts[.SPLIT].jsonl
  --split NAME     which contexts (default: test)
  --skip FLAG      leaves out contexts with this flag; may be given again (default: none)
  --ranker NAME    adjacent, bare (the encoder alone) or bm25 (default: adjacent)
  --floor X        another floor (default: the model's)
  --run FILE       writes the ranking too, one {"id", "ranked"} a line (default: nowhere)

Example: npm run eval -- test/eval/everyday --skip borderline
`;

if (asksForHelp(process.argv.slice(2))) {
  process.stdout.write(usage);
  process.exit();
}
const { values, positionals } = readArguments();
const [directory] = positionals;
if (directory === undefined || !['adjacent', 'bare', 'bm25'].includes(values.ranker)) {
  process.stderr.write(usage);
  process.exit(2);
}

// A set's snapshots lie apart from the live catalogue; model and calibration are the operator's.
const dataDir = path.resolve(process.env['DATA_DIR'] ?? 'data');
const setDir = path.join(dataDir, 'eval', path.basename(path.resolve(directory)));
const workers = Number(process.env['WORKERS'] ?? 2);
const setting = process.env['MODEL'] ?? BUNDLED_MODEL;
const profile = readProfile(setting, path.join(dataDir, 'models'));
const encoder = await createEncoder(profile, { workers, queueLimit: Infinity });
try {
  const snapshot = await indexSet(directory, setDir, encoder, byDirectory(setting, profile));
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
    process.stderr.write(usage);
    return process.exit(2);
  }
}
