import { main } from '../../platform/command-line/run-command.js';
import { readArguments, usage } from './arguments.js';
import { tortureCluster } from './cluster/torture-cluster.js';
import { torture } from './node/torture.js';
import { summaryOf, summaryOfCluster } from './summary.js';

// `npm run torture`: exits with 0 if ledger and books agree after every kill, 1 if they do not or something fails, 2
// for a usage error.
await main({
  usage,
  async run(argv, output) {
    const enough = new AbortController();
    // Ends cleanly, so that no process and no mounted disk is left behind.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => enough.abort());
    const wanted = readArguments(argv);
    const progress = (line: string): void => output.err(`${line}\n`);
    const print = (summary: string, { differences }: { readonly differences: readonly string[] }): void => {
      output.out(`${summary}\n`);
      if (differences.length > 0) process.exitCode = 1;
    };
    if ('nodes' in wanted) {
      const tortured = await tortureCluster(wanted, progress, enough.signal);
      print(summaryOfCluster(tortured), tortured);
    } else {
      const tortured = await torture(wanted, progress, enough.signal);
      print(summaryOf(tortured), tortured);
    }
  },
});
