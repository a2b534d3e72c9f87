import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { readConfig, type Config } from './config/config.js';
import { failureText } from '../platform/command-line/failure-text.js';
import { reportFileSizeLimit } from '../platform/command-line/file-size-limit.js';
import { asksForHelp, keepFilesPrivate } from '../platform/command-line/run-command.js';
import { readEnvironment } from '../platform/command-line/settings.js';
import { serve, type Serving } from './serve.js';
import { USAGE } from './config/usage.js';

/**
 * Entry point of the server, run by `start.ts` or directly by a service manager. Reads the settings, serves, and shuts
 * down in order on SIGTERM or Ctrl-C.
 */
try {
  keepFilesPrivate();
  const argv = process.argv.slice(2);
  if (asksForHelp(argv)) process.stdout.write(USAGE);
  else await start(readConfig(readEnvironment(), argv));
} catch (error) {
  console.error(`adjacent cannot start: ${failureText(error)}`);
  process.exit(1);
}

async function start(config: Config): Promise<void> {
  reportFileSizeLimit();
  // Logs go to standard error, so that standard output holds only the greeting for the person who started the server.
  const log = pino({ level: config.logLevel }, pino.destination(2));
  for (const warning of config.warnings) log.warn(warning);
  let serving: Serving | null = null;
  endOnSignals(() => serving, log);
  serving = await serve({ config, log, clock: Date.now });
  console.log(greeting(serving, config));
}

function greeting(serving: Serving, { dataDir, databaseUrl }: Config): string {
  const { baseUrl, demoKey, newAdminToken, creatives, operatorsPort, dashboardUrl } = serving;
  const tokenFile = join(dataDir, 'admin-token');
  const lasts = databaseUrl === null ? 'new at each start' : 'shared by all nodes';
  return [
    `Adjacent serves ${creatives} creatives at ${baseUrl}`,
    ...(creatives === 0 ? ['  no ads yet    npm run index -- FEED publishes a catalogue; no restart is needed'] : []),
    ...(demoKey === null
      ? []
      : [`  demo page     ${baseUrl}/`, `  demo test key ${demoKey} (${lasts}, bills nothing)`]),
    `  dashboard     ${dashboardUrl}`,
    `  API           ${baseUrl}/docs`,
    ...(operatorsPort === null ? [] : [`  operators     port ${operatorsPort}: /metrics, /readyz, /healthz`]),
    ...(newAdminToken === null ? [] : [`  admin token   ${newAdminToken} (kept in ${tokenFile}, not shown again)`]),
  ].join('\n');
}

/**
 * The whole shutdown must finish within this time, whatever hangs. A thread that runs a model has 4 s more
 * (`platform/threads/at-exit.ts`).
 */
const LIMIT_MS = 9500;

/**
 * @param serving returns null while the server starts: no request is running yet, and process 1 of a container only
 * ends if it exits by itself
 */
function endOnSignals(serving: () => Serving | null, log: Logger): void {
  let ending = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A second signal exits without waiting for requests.
      if (ending) process.exit(1);
      ending = true;
      const running = serving();
      if (running === null) {
        log.info({ signal }, 'ended: nothing was served yet');
        process.exit(0);
      }
      const began = Date.now();
      log.info({ signal }, 'draining: no new requests are accepted; running requests are completed');
      setTimeout(() => {
        log.warn({ ms: Date.now() - began }, 'ended: the time was up while something still ran');
        process.exit(0);
      }, LIMIT_MS).unref();
      running.close().then(
        () => {
          log.info({ ms: Date.now() - began }, 'ended: all that was counted is on the disk');
          process.exit(0);
        },
        (error: unknown) => {
          console.error(`adjacent ended with an error: ${(error as Error).message}`);
          process.exit(1);
        },
      );
    });
  }
}
