import { asksForHelp } from '../platform/command-line/run-command.js';
import { readEnvironment, SettingsError } from '../platform/command-line/settings.js';
import { readConfig, type Config } from './config/config.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readDocument } from '../platform/cluster/documents.js';
import { withCluster } from '../platform/cluster/with-cluster.js';
import { DAY } from '../platform/time/durations.js';
import { layoutOf, POINTER } from '../models/snapshot/layout.js';

// The indexer runs in its own process: it is not part of the server.
const INDEXER = fileURLToPath(new URL('../indexer/main.js', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../indexer/sample/creatives.jsonl', import.meta.url));

type Settings = Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'profile' | 'languages' | 'model' | 'timeZone' | 'currency' | 'workers' | 'clickWindowMs'
>;

/**
 * Publishes the sample catalogue that comes with Adjacent, unless a catalogue is already published. With a shared
 * database, publishes it for all nodes. Prints its steps on standard error.
 *
 * @returns false when the operator interrupted it (Ctrl-C or SIGTERM), in which case the server must not start either
 * @throws Error when the indexer fails, after printing the reason, or is killed by a signal, which the message names
 */
async function indexSample({ databaseUrl, ...config }: Settings): Promise<boolean> {
  const { dataDir, profile, languages, model, timeZone, currency, workers, clickWindowMs } = config;
  if (await isPublished({ dataDir, databaseUrl })) return true;
  const settings = {
    'data-dir': dataDir,
    profile,
    languages,
    'time-zone': timeZone,
    currency,
    workers: String(workers),
    'click-days': String(clickWindowMs / DAY),
    ...(model === null ? {} : { model }),
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  process.stderr.write('Indexing the sample catalogue, since there is no index yet …\n');
  const options = ['--name', 'sample', '--brief', '--if-none'];
  const indexer = spawn(process.execPath, [INDEXER, SAMPLE, ...options, ...flags], {
    stdio: ['ignore', 2, 2],
    // Other users of the machine can see a command's options, and the database URL may hold a password.
    env: { ...process.env, DATABASE_URL: databaseUrl ?? '' },
  });
  const [status, signal] = await endOf(indexer);
  if (status === 130 || signal === 'SIGINT' || signal === 'SIGTERM') return false;
  if (signal !== null) {
    const advice = signal === 'SIGKILL' ? '; the system may have run out of memory: WORKERS=1 needs the least' : '';
    throw new Error(`Indexing the sample catalogue was ended by ${signal}${advice}.`);
  }
  if (status !== 0) throw new Error('Indexing the sample catalogue failed; the lines above say why.');
  return true;
}

/** Waits for the indexer to end, and passes on signals, which may reach only this process. */
async function endOf(indexer: ChildProcess): Promise<[status: number | null, signal: NodeJS.Signals | null]> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const passOn = (signal: NodeJS.Signals): void => void indexer.kill(signal);
  for (const signal of signals) process.on(signal, passOn);
  try {
    return (await once(indexer, 'exit')) as [number | null, NodeJS.Signals | null];
  } finally {
    for (const signal of signals) process.off(signal, passOn);
  }
}

async function isPublished(settings: Pick<Settings, 'dataDir' | 'databaseUrl'>): Promise<boolean> {
  return withCluster(settings, async (cluster) =>
    cluster === null ? existsSync(layoutOf(settings.dataDir).current) : (await readDocument(cluster, POINTER)) !== null,
  );
}

async function prepare(): Promise<void> {
  try {
    if (!(await indexSample(readConfig(readEnvironment(), argv)))) process.exit(130);
  } catch (error) {
    // Ignored here: the server reports all invalid settings when it starts.
    if (error instanceof SettingsError) return;
    console.error((error as Error).message);
    process.exit(1);
  }
}

// `npm start`: indexes the sample catalogue if there is none yet, then starts the server with the same settings.
const argv = process.argv.slice(2);
if (!asksForHelp(argv)) await prepare();
await import('./main.js');
