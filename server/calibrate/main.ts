import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { calibratedFile, loadDecisionModel } from '../../models/scoring/decision-model.js';
import { modelText } from '../../models/scoring/stored-model.js';
import { replaceDurably } from '../../models/snapshot/durable.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { environment, readConfig } from '../config.js';
import { runCommand, UsageError } from '../offline/command.js';
import { knownRelevant } from '../offline/known-relevant.js';
import { openOffline, type Offline } from '../offline/offline.js';
import { readContexts, type RecordedContext } from '../offline/read-contexts.js';
import { makeDirectory } from '../stores/make-directory.js';
import { readArguments, USAGE, type CalibrateArguments } from './arguments.js';
import { asText } from './as-text.js';
import { calibrate, type Calibrated } from './calibrate.js';
import { byDirectory, indexSet } from './index-set.js';
import { answersOf, type AnsweredSet } from './samples.js';

// `npm run calibrate`: fits score and floor to an operator's own catalogue or encoder.
await runCommand(USAGE, async (argv) => {
  const wanted = readArguments(argv);
  const config = readConfig(environment(), wanted.dataDir === undefined ? [] : ['--data-dir', wanted.dataDir]);
  const offline = await openOffline(config);
  // What a dry run indexes is gone when it ends; otherwise it is kept, so that the next run embeds nothing twice.
  const forNow = wanted.dryRun && 'sets' in wanted.from ? await mkdtemp(join(tmpdir(), 'adjacent-calibrate-')) : null;
  try {
    const model = loadDecisionModel(config.dataDir, offline.encoder.fingerprint);
    const sets: AnsweredSet[] = [];
    for (const source of sourcesOf(wanted.from, offline, forNow ?? join(config.dataDir, 'eval'), config.model)) {
      const snapshot = await source.snapshot();
      const contexts = learnable(source.file, snapshot);
      const parts = { encoder: offline.encoder, snapshot, model, lanes: 2 * config.workers };
      sets.push({ name: source.name, answers: await answersOf(contexts, parts) });
    }
    const calibrated = calibrate(sets, model, wanted);
    const file = calibratedFile(config.dataDir);
    if (!wanted.dryRun) {
      makeDirectory(config.dataDir);
      await replaceDurably(file, modelText(calibrated.model));
    }
    return wanted.json ? asJson(calibrated) : `${asText(calibrated)}${written(file, wanted.dryRun)}`;
  } finally {
    await offline.close();
    if (forNow !== null) await rm(forNow, { recursive: true });
  }
});

/** The contexts whose right creatives this catalogue holds; says so when it lacks some. @throws Error when it holds none */
function learnable(file: string, { id, creatives }: LoadedSnapshot): RecordedContext[] {
  const recorded = readContexts(file);
  const known = new Set(creatives.map((creative) => creative.id));
  const { contexts, warning } = knownRelevant(file, recorded, known, `snapshot ${id}`);
  if (warning === null) return recorded;
  process.stderr.write(`${warning}\n`);
  return contexts.filter(({ relevant }, at) => relevant !== undefined || recorded[at]!.relevant === undefined);
}

interface Source {
  readonly name: string;
  readonly file: string;
  readonly snapshot: () => Promise<LoadedSnapshot>;
}

function sourcesOf(
  from: CalibrateArguments['from'],
  offline: Offline,
  setsDir: string,
  setting: string | null,
): Source[] {
  if ('file' in from) {
    return [{ name: basename(from.file), file: from.file, snapshot: () => offline.snapshot(from.snapshot) }];
  }
  const model = setting === null ? undefined : byDirectory(setting, offline.profile);
  return from.sets.map((directory) => {
    const name = basename(resolve(directory));
    const file = ['contexts.dev.jsonl', 'contexts.jsonl'].map((it) => join(directory, it)).find(existsSync);
    if (file === undefined) throw new UsageError(`${directory} holds neither contexts.dev.jsonl nor contexts.jsonl`);
    return { name, file, snapshot: () => indexSet(directory, join(setsDir, name), offline.encoder, model) };
  });
}

function asJson({ before, after, sets, floors }: Calibrated): string {
  return `${JSON.stringify({ before, after, sets, floors }, null, 2)}\n`;
}

function written(file: string, dryRun: boolean): string {
  return dryRun
    ? `${file} is as it was.\n`
    : `Written to ${file}. A running server takes it up when it is started again.\n`;
}
