import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { readConfig, type Config } from './config/config.js';
import { reportFileSizeLimit } from '../platform/command-line/file-size-limit.js';
import { asksForHelp, keepFilesPrivate } from '../platform/command-line/run-command.js';
import { readEnvironment } from '../platform/command-line/settings.js';
import { serve, type Serving } from './serve.js';
import { USAGE } from './config/usage.js';

/** The server, as `start.ts` and a service run it: reads the settings, serves, ends in order on SIGTERM or Ctrl-C. */
try {
  keepFilesPrivate();
  const argv = process.argv.slice(2);
  if (asksForHelp(argv)) process.stdout.write(USAGE);
  else await start(readConfig(readEnvironment(), argv));
} catch (error) {
  console.error(`adjacent cannot start: ${(error as Error).message}`);
  process.exit(1);
}

async function start(config: Config): Promise<void> {
  reportFileSizeLimit();
  // Logs go to standard error: what is printed for the person who started it stays readable.
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
  const lasts = databaseUrl === null ? 'new at each start' : 'that of all nodes';
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

/** All must be over within this, whatever hangs; a thread that runs a model has 4 s more (`platform/threads/at-exit.ts`). */
const LIMIT_MS = 9500;

/** @param serving null while it starts: nothing is under way, and process 1 of a container ends by its own doing alone */
function endOnSignals(serving: () => Serving | null, log: Logger): void {
  let ending = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A second signal waits for no request.
      if (ending) process.exit(1);
      ending = true;
      const running = serving();
      if (running === null) {
        log.info({ signal }, 'ended: nothing was served yet');
        process.exit(0);
      }
      const began = Date.now();
      log.info({ signal }, 'draining: nothing new is accepted, what is under way is answered');
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
          console.error(`adjacent ended with a fault: ${(error as Error).message}`);
          process.exit(1);
        },
      );
    });
  }
}
