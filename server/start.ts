import { asksForHelp } from './commands/shared/run-command.js';
import { ConfigError, readEnvironment, readConfig } from './config/config.js';
import { indexSample } from './index-sample.js';

// `npm start`: the sample catalogue where there is none yet, then the server; both by the same settings.
const argv = process.argv.slice(2);
if (!asksForHelp(argv)) prepare();
await import('./main.js');

function prepare(): void {
  try {
    if (!indexSample(readConfig(readEnvironment(), argv))) process.exit(130);
  } catch (error) {
    // The server reports settings that cannot be used, all of them.
    if (error instanceof ConfigError) return;
    console.error((error as Error).message);
    process.exit(1);
  }
}
