import { join } from 'node:path';
import { pino } from 'pino';
import { environment, readConfig } from './config.js';
import { createDecide } from './decide/create-decide.js';
import { serve, type Serving } from './serve.js';

/** `npm start`: reads the settings, serves, ends in order on SIGTERM or Ctrl-C. */
try {
  const config = readConfig(environment(), process.argv.slice(2));
  // Logs go to standard error: what is printed for the person who started it stays readable.
  const log = pino({ level: config.logLevel }, pino.destination(2));
  for (const warning of config.warnings) log.warn(warning);
  const serving = await serve({ config, log, clock: Date.now, decideWith: createDecide });
  console.log(greeting(serving, join(config.dataDir, 'admin-token')));
  endOnSignals(serving);
} catch (error) {
  console.error(`adjacent cannot start: ${(error as Error).message}`);
  process.exit(1);
}

function greeting({ baseUrl, demoKey, newAdminToken, creatives }: Serving, tokenFile: string): string {
  return [
    `Adjacent serves ${creatives} creatives at ${baseUrl}`,
    ...(creatives === 0 ? ['  no ads yet    npm run index -- FEED publishes a catalogue; no restart is needed'] : []),
    ...(demoKey === null
      ? []
      : [`  demo page     ${baseUrl}/`, `  demo test key ${demoKey} (new at each start, bills nothing)`]),
    `  dashboard     ${baseUrl}/admin/`,
    `  API           ${baseUrl}/docs`,
    ...(newAdminToken === null ? [] : [`  admin token   ${newAdminToken} (kept in ${tokenFile}, not shown again)`]),
  ].join('\n');
}

/** All must be over within this, whatever hangs. */
const LIMIT_MS = 9500;

function endOnSignals(serving: Serving): void {
  let ending = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // Whoever asks twice means now.
      if (ending) process.exit(1);
      ending = true;
      setTimeout(() => process.exit(0), LIMIT_MS).unref();
      serving.close().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(`adjacent ended with a fault: ${(error as Error).message}`);
          process.exit(1);
        },
      );
    });
  }
}
