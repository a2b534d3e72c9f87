import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { layoutOf } from '../models/snapshot/layout.js';
import type { Config } from './config.js';

// A process of its own: the indexer is no part of the server.
const INDEXER = fileURLToPath(new URL('../indexer/main.js', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../indexer/sample/creatives.jsonl', import.meta.url));
const DAY = 24 * 3_600_000;

type Settings = Pick<Config, 'dataDir' | 'model' | 'timeZone' | 'workers' | 'clickWindowMs'>;

/**
 * Publishes the catalogue that comes with Adjacent, unless one was published already. Tells its steps on standard error.
 *
 * @throws Error when the indexer refuses; it has said why
 */
export function indexSample({ dataDir, model, timeZone, workers, clickWindowMs }: Settings): void {
  if (existsSync(layoutOf(dataDir).current)) return;
  const settings = {
    'data-dir': dataDir,
    'time-zone': timeZone,
    workers: String(workers),
    'click-days': String(clickWindowMs / DAY),
    ...(model === null ? {} : { model }),
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  process.stderr.write('Indexing the sample catalogue, since there is no index yet …\n');
  const { status, signal } = spawnSync(process.execPath, [INDEXER, SAMPLE, '--name', 'sample', ...flags], {
    stdio: ['ignore', 2, 2],
  });
  if (signal !== null || status === 130) process.exit(130);
  if (status !== 0) throw new Error('Indexing the sample catalogue failed; the lines above say why.');
}
