import { main } from '../../platform/command-line/run-command.js';
import { readEnvironment } from '../../platform/command-line/settings.js';
import { readConfig } from '../../server/config/config.js';
import { table } from '../bench/table.js';
import { readArguments, usage } from './arguments.js';
import { simulate, type Simulated } from './simulate.js';

// `npm run simulate`: exits with 0 if books and report agree, 1 if they do not or something fails, 2 for usage and
// settings.
await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    const config = readConfig(readEnvironment(), ['--data-dir', wanted.dataDir]);
    const simulated = await simulate(wanted, config, (line) => output.err(`${line}\n`));
    output.out(`${summary(simulated, config.dataDir)}\n`);
    if (simulated.difference !== null) process.exitCode = 1;
  },
});

function summary({ totals, difference }: Simulated, dataDir: string): string {
  const figures = totals.filter(([, books, report]) => books + report > 0);
  return [
    table(
      ['all but tests', 'books', 'report'],
      figures.map(([name, ...both]) => [
        name,
        ...both.map((figure) => (name === 'spend' ? (figure / 1e6).toFixed(6) : String(figure))),
      ]),
    ),
    difference === null ? 'books and report agree' : `books and report differ: ${difference}`,
    `To look at it: DATA_DIR=${dataDir} npm start, then /admin/; its token: ${dataDir}/admin-token`,
  ].join('\n');
}
