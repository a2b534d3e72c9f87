import { asksForHelp } from '../models/command-line/run-command.js';
import { readEnvironment, SettingsError } from '../models/command-line/settings.js';
import { readConfig, type Config } from './config/config.js';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { layoutOf } from '../models/snapshot/layout.js';

// A process of its own: the indexer is no part of the server.
const INDEXER = fileURLToPath(new URL('../indexer/main.js', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../indexer/sample/creatives.jsonl', import.meta.url));
const DAY = 24 * 3_600_000;

type Settings = Pick<Config, 'dataDir' | 'model' | 'timeZone' | 'currency' | 'workers' | 'clickWindowMs'>;

/**
 * Publishes the catalogue that comes with Adjacent, unless one was published already. Prints its steps on standard error.
 *
 * @returns false when somebody ended it, by Ctrl-C or SIGTERM, and so the server is not to start either
 * @throws Error when the indexer refuses, and has printed why; or names the signal that killed it
 */
function indexSample({ dataDir, model, timeZone, currency, workers, clickWindowMs }: Settings): boolean {
  if (existsSync(layoutOf(dataDir).current)) return true;
  const settings = {
    'data-dir': dataDir,
    'time-zone': timeZone,
    currency,
    workers: String(workers),
    'click-days': String(clickWindowMs / DAY),
    ...(model === null ? {} : { model }),
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  process.stderr.write('Indexing the sample catalogue, since there is no index yet …\n');
  const { status, signal } = spawnSync(process.execPath, [INDEXER, SAMPLE, '--name', 'sample', '--brief', ...flags], {
    stdio: ['ignore', 2, 2],
  });
  if (status === 130 || signal === 'SIGINT' || signal === 'SIGTERM') return false;
  if (signal !== null) {
    const advice =
      signal === 'SIGKILL' ? '; a system that runs out of memory does that, and WORKERS=1 takes the least' : '';
    throw new Error(`Indexing the sample catalogue was ended by ${signal}${advice}.`);
  }
  if (status !== 0) throw new Error('Indexing the sample catalogue failed; the lines above say why.');
  return true;
}

function prepare(): void {
  try {
    if (!indexSample(readConfig(readEnvironment(), argv))) process.exit(130);
  } catch (error) {
    // The server reports settings that cannot be used, all of them.
    if (error instanceof SettingsError) return;
    console.error((error as Error).message);
    process.exit(1);
  }
}

// `npm start`: the sample catalogue where there is none yet, then the server; both by the same settings.
const argv = process.argv.slice(2);
if (!asksForHelp(argv)) prepare();
await import('./main.js');
