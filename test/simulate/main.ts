import { ConfigError, readEnvironment, readConfig } from '../../server/config/config.js';
import { table } from '../bench/table.js';
import { readArguments, UsageError, USAGE } from './arguments.js';
import { simulate, type Simulated } from './simulate.js';

// `npm run simulate`: exit 0 when books and report agree, 1 when they do not (or something failed), 2 for usage and settings.
try {
  const wanted = readArguments(process.argv.slice(2));
  if (wanted === null) process.stdout.write(USAGE);
  else {
    const config = readConfig(readEnvironment(), ['--data-dir', wanted.dataDir]);
    const simulated = await simulate(wanted, config, (line) => console.error(line));
    console.log(summary(simulated, config.dataDir));
    if (simulated.difference !== null) process.exitCode = 1;
  }
} catch (error) {
  const usage = error instanceof UsageError;
  process.stderr.write(`${(error as Error).message}\n${usage ? `\n${USAGE}` : ''}`);
  process.exitCode = usage || error instanceof ConfigError ? 2 : 1;
}

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
