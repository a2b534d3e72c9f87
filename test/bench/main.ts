import { availableParallelism, cpus } from 'node:os';
import { benchBeacons } from './beacons.js';
import { benchIndexing } from './indexing.js';
import { benchLedger } from './ledger.js';
import { benchMatch } from './match.js';
import { benchNearTies } from './near-ties.js';
import { benchReports } from './reports.js';
import { benchSearch } from './search.js';

/**
 * `npm run bench [-- NAME …]`: every benchmark, a table each. Ratios are of things measured side by side in one run;
 * single figures only tell about the machine they come from.
 */
const BENCHMARKS: Readonly<Record<string, () => Promise<string> | string>> = {
  match: () => benchMatch(),
  beacons: () => benchBeacons(),
  ledger: () => benchLedger(),
  reports: () => benchReports(),
  search: () => benchSearch(),
  indexing: () => benchIndexing(),
  'near-ties': () => benchNearTies(),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}\n`);
for (const [name, bench] of Object.entries(BENCHMARKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`${await bench()}\n`);
}
