import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fraction, main, TEXT, TEXTS, UsageError } from '../../platform/command-line/run-command.js';
import { createEncoder, type EncoderPool } from '../../models/encoder/pool.js';
import { modelOf, readProfile } from '../../models/encoder/profile.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { byDirectory, indexSet } from '../../server/commands/calibrate/index-set.js';
import { readCommand } from '../../server/commands/shared/read-command.js';
import type { Config } from '../../server/config/config.js';
import { createDecide } from '../../server/decide/decide.js';
import { evaluate, type Summary } from './evaluate.js';
import { overallOf } from './overall.js';
import { bareRanker, type EvalRanker, productRanker, wordRanker } from './rankers.js';
import { contextFiles, type EvalContext, readJsonLines } from './set.js';

const usage = `Usage: npm run eval -- DIR [options]

Ranks a set's contexts with the code of the match endpoint, and prints one JSON object of metrics.

  DIR              a folder with creatives.jsonl and contexts[.NAME][.SPLIT].jsonl, or a folder of such folders; of
                   several files it also prints the mean and the worst of each metric
  --ads DIR        the ads of another set with the same ids (default: the set's own)
  --split NAME     which contexts (default: test)
  --skip FLAG      leaves out contexts with this flag; may be repeated (default: none)
  --ranker NAME    adjacent, bare (the encoder alone) or bm25 (default: adjacent)
  --floor X        another floor (default: the model's)
  --run FILE       also writes the ranking, one {"id", "ranked"} per line (default: nowhere)
  --data-dir DIR   directory of calibration, models and indexed sets (default: the DATA_DIR setting, ./data)

Example: npm run eval -- test/eval/everyday --skip borderline
`;

const OPTIONS = { ads: TEXT, split: TEXT, skip: TEXTS, ranker: TEXT, floor: TEXT, run: TEXT } as const;
const RANKERS = ['adjacent', 'bare', 'bm25'] as const;

interface EvalArguments {
  readonly directory: string;
  /** Directory of the ads; null for each set's own. */
  readonly ads: string | null;
  readonly split: string;
  readonly skip: readonly string[];
  readonly ranker: (typeof RANKERS)[number];
  readonly floor: number | null;
  readonly runFile: string | undefined;
  readonly config: Config;
}

// `npm run eval -- DIR`: prints one JSON object of metrics for a set, computed with the code of the match endpoint.
await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    const { directory, ranker, config } = wanted;
    const setting = modelOf(config);
    const profile = readProfile(setting, path.join(config.dataDir, 'models'));
    const encoder = await createEncoder(profile, { workers: config.workers, queueLimit: Infinity });
    try {
      const lines: string[] = [];
      const sets = setsIn(directory);
      const results: Record<string, unknown>[] = [];
      const summaries: Summary[] = [];
      for (const set of sets) {
        const { creatives, files } = await evaluateSet(set, wanted, encoder, byDirectory(setting, profile), lines);
        results.push({ set: path.basename(set), ranker, creatives, ...files });
        summaries.push(...Object.values(files));
      }
      if (wanted.runFile !== undefined) writeFileSync(wanted.runFile, lines.join(''));
      const overall = summaries.length === 1 ? {} : overallOf(summaries);
      const whole = { ...overall, ...(sets.length === 1 ? results[0] : { sets: results }) };
      output.out(`${JSON.stringify(whole, null, 1)}\n`);
    } finally {
      await encoder.close();
    }
  },
});

/**
 * Returns the directory itself, or the sets in it.
 *
 * @throws UsageError if there is none
 */
function setsIn(directory: string): string[] {
  const isSet = (folder: string): boolean => existsSync(path.join(folder, 'creatives.jsonl'));
  // The indexer reports a directory that does not exist.
  if (isSet(directory) || !existsSync(directory)) return [directory];
  const below = readdirSync(directory).toSorted();
  const sets = below.map((name) => path.join(directory, name)).filter(isSet);
  if (sets.length === 0) throw new UsageError(`${directory} is no set: it has no creatives.jsonl`);
  return sets;
}

/** @param lines receives the rankings, one line per context */
async function evaluateSet(
  directory: string,
  { ads, split, skip, ranker, floor, config: { dataDir, workers } }: EvalArguments,
  encoder: EncoderPool,
  model: string,
  lines: string[],
) {
  // A set's snapshots are separate from the live catalogue; model and calibration are the operator's.
  const source = ads ?? directory;
  const setDir = path.join(dataDir, 'eval', path.basename(path.resolve(source)));
  const snapshot = await indexSet(source, setDir, encoder, model);
  const index = { current: () => snapshot };
  const decide = ranker === 'adjacent' ? createDecide({ encoder, index, config: { dataDir, floor } }) : undefined;
  const files: Record<string, Summary> = {};
  for (const file of contextFiles(directory, split)) {
    const contexts = readJsonLines<EvalContext>(file).filter((context) => !skip.some((flag) => context[flag]));
    const rank = rankerFor(ranker, encoder, snapshot, dataDir);
    const { summary, run } = await evaluate(contexts, rank, decide, workers * 2);
    files[path.basename(file, '.jsonl')] = summary;
    lines.push(...run.map((line) => `${JSON.stringify(line)}\n`));
  }
  return { creatives: snapshot.creatives.length, files };
}

function readArguments(argv: readonly string[]): EvalArguments {
  const { values, positionals, config } = readCommand(argv, OPTIONS, 1);
  const [directory] = positionals;
  if (directory === undefined) throw new UsageError('a folder is missing');
  const ranker = RANKERS.find((name) => name === (values.ranker ?? 'adjacent'));
  if (ranker === undefined)
    throw new UsageError(`--ranker must be one of ${RANKERS.join(', ')}, not "${values.ranker}"`);
  const { split = 'test', skip = [], run: runFile } = values;
  const ads = values.ads ?? null;
  return { directory, ads, split, skip, ranker, floor: fraction('floor', values.floor) ?? null, runFile, config };
}

function rankerFor(
  name: EvalArguments['ranker'],
  encoder: EncoderPool,
  snapshot: LoadedSnapshot,
  dataDir: string,
): EvalRanker {
  if (name === 'bm25') return wordRanker(snapshot);
  if (name === 'bare') return bareRanker(encoder, snapshot);
  return productRanker(encoder, snapshot, dataDir);
}
