import { ConfigError, environment, readConfig } from '../config.js';
import { runKeyCommand } from './command.js';
import { keyStore } from './key-file.js';

/** `npm run keys -- …` */
try {
  const { dataDir, timeZone } = readConfig(environment());
  process.exitCode = await runKeyCommand(process.argv.slice(2), {
    store: keyStore(dataDir),
    timeZone,
    now: Date.now(),
    out: (line) => console.log(line),
    err: (line) => console.error(line),
  });
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `keys: ${(error as Error).message}`);
  process.exitCode = 1;
}
