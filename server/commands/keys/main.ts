import { ConfigError, readEnvironment, readConfig, type Config } from '../../config/config.js';
import { asksForHelp } from '../shared/run-command.js';
import { runKeyCommand, USAGE } from './command.js';
import { keyStore } from '../../keys/key-file.js';

/** `npm run keys -- …` */
try {
  const argv = process.argv.slice(2);
  if (asksForHelp(argv)) process.stdout.write(USAGE);
  else process.exitCode = await runWith(readConfig(readEnvironment()), argv);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `keys: ${(error as Error).message}`);
  process.exitCode = 1;
}

function runWith({ dataDir, timeZone }: Config, argv: readonly string[]): Promise<number> {
  return runKeyCommand(argv, {
    store: keyStore(dataDir),
    timeZone,
    now: Date.now(),
    out: (line) => console.log(line),
    err: (line) => console.error(line),
  });
}
