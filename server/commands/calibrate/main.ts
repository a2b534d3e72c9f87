import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { replaceDocument } from '../../../platform/cluster/documents.js';
import { main, type Output } from '../../../platform/command-line/run-command.js';
import { calibratedFile, loadDecisionModel, modelText } from '../../../models/scoring/decision-model.js';
import { modelOf } from '../../../models/encoder/profile.js';
import { makeDataDirectory } from '../../../platform/files/data-directory.js';
import { replaceDurably } from '../../../platform/files/durable.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import { checkRelevantIds } from '../shared/check-relevant-ids.js';
import { openOffline } from '../shared/offline.js';
import type { RecordedContext } from '../shared/read-contexts.js';
import { readArguments, usage } from './arguments.js';
import { asText } from './as-text.js';
import { calibrate, type Calibrated } from './calibrate.js';
import { answersOf, type LabelledSet } from './samples.js';
import { readSources, type Source } from './sources.js';

// `npm run calibrate`: fits score and floor to an operator's own catalogue or encoder.
await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    const { config } = wanted;
    const sources = readSources(wanted.from, modelOf(config));
    await withInstallation(config, async (cluster) => {
      const offline = await openOffline(config);
      // A dry run indexes into a temporary directory. Other runs keep their snapshots, so that the next one does not
      // embed texts again.
      const temporary =
        wanted.dryRun && 'sets' in wanted.from ? await mkdtemp(join(tmpdir(), 'adjacent-calibrate-')) : null;
      try {
        const model = loadDecisionModel(config.dataDir, offline.encoder.fingerprint);
        const sets: LabelledSet[] = [];
        for (const source of sources) {
          const snapshot = await source.snapshot(offline, temporary ?? join(config.dataDir, 'eval'));
          const contexts = contextsFor(source, snapshot, output);
          const sampleOptions = { encoder: offline.encoder, snapshot, model, concurrency: 2 * config.workers };
          sets.push({ name: source.name, answers: await answersOf(contexts, sampleOptions) });
        }
        const calibrated = calibrate(sets, model, wanted);
        const file = calibratedFile(config.dataDir);
        if (!wanted.dryRun) {
          makeDataDirectory(config.dataDir);
          const text = modelText(calibrated.model);
          await (cluster === null ? replaceDurably(file, text) : replaceDocument(cluster, basename(file), text));
        }
        output.out(wanted.json ? asJson(calibrated) : `${asText(calibrated)}${written(file, wanted.dryRun)}`);
      } finally {
        await offline.close();
        if (temporary !== null) await rm(temporary, { recursive: true });
      }
    });
  },
});

/**
 * Returns the contexts whose right creatives are in this catalogue, and warns if some are not. @throws Error when none
 * is
 */
function contextsFor(source: Source, { id, creatives }: LoadedSnapshot, output: Output): readonly RecordedContext[] {
  const { file, contexts: recorded, advice } = source;
  const known = new Set(creatives.map((creative) => creative.id));
  const { contexts, warning } = checkRelevantIds(file, recorded, known, `snapshot ${id}`, advice);
  if (warning === null) return recorded;
  output.err(`${warning}\n`);
  return contexts.filter(({ relevant }, at) => relevant !== undefined || recorded[at]!.relevant === undefined);
}

function asJson({ before, after, sets, floors }: Calibrated): string {
  return `${JSON.stringify({ before, after, sets, floors }, null, 2)}\n`;
}

function written(file: string, dryRun: boolean): string {
  return dryRun ? `${file} is unchanged.\n` : `Written to ${file}. A running server uses it after a restart.\n`;
}
