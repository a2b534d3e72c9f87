import { availableParallelism, cpus } from 'node:os';
import { main, parseOptions, UsageError } from '../../platform/command-line/run-command.js';
import { benchBeacons } from './beacons.js';
import { benchCosts } from './costs.js';
import { benchIndexing } from './indexing.js';
import { benchLarge } from './large.js';
import { benchLedger } from './ledger.js';
import { benchMatch } from './match.js';
import { benchNearTies } from './near-ties.js';
import { benchOverload } from './overload.js';
import { benchReports } from './reports.js';
import { benchSearch } from './search.js';
import { benchSeveralServers } from './several-servers.js';
import { benchWords } from './words.js';

/**
 * `npm run bench [-- NAME …]`: runs benchmarks and prints a table for each. Ratios compare things measured in one run;
 * absolute figures hold only for the machine that produced them.
 */
const usage = `Usage: npm run bench [-- NAME …]

Prints a table for each benchmark, which compares things measured in one run. All of them take many minutes.

  match       a match over HTTP, compared with the encoder alone
  beacons     beacons a second, compared with responses that store nothing
  ledger      events committed one by one and in groups
  servers     clicks of one campaign through one server and through four, in PostgreSQL
  reports     a report, compared with summing the raw events
  search      graph search, compared with an exact scan
  words       the index of rare words over a million texts: a minute or two, 2 GB of memory
  indexing    re-indexing a feed, compared with the first time and with building its graph
  reindex     a hundred thousand creatives embedded, then one in a hundred reworded: a quarter of an hour or more
  large       a hundred thousand creatives: their graph, loading, searching, one in a hundred changed
  million     the same with a million, if it is named: eight minutes and 12 GB of memory
  overload    three times the matches that the server can serve, from one address
  near-ties   the effect of earnings on relevance
  costs       what one match, beacon, event and creative cost, for npm run scale
  (default: all)

Example: npm run bench -- match search
`;

const BENCHMARKS: Readonly<Record<string, () => Promise<string> | string>> = {
  match: () => benchMatch(),
  beacons: () => benchBeacons(),
  ledger: () => benchLedger(),
  servers: () => benchSeveralServers(),
  reports: () => benchReports(),
  search: () => benchSearch(),
  words: () => benchWords(),
  indexing: () => benchIndexing(),
  reindex: () => benchIndexing(0, 100_000),
  large: () => benchLarge(),
  million: () => benchLarge(1_000_000),
  overload: () => benchOverload(),
  'near-ties': () => benchNearTies(),
  costs: () => benchCosts(),
};

/** Benchmarks that run only if they are named. */
const IF_NAMED = new Set(['million']);

await main({
  usage,
  async run(argv, output) {
    const { positionals: names } = parseOptions(argv, {});
    const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
    if (unknown.length > 0) {
      throw new UsageError(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}`);
    }
    const processor = cpus()[0]?.model ?? 'unknown processor';
    output.out(`${processor}, ${availableParallelism()} cores, Node ${process.version}\n\n`);
    for (const [name, bench] of Object.entries(BENCHMARKS)) {
      if (names.includes(name) || (names.length === 0 && !IF_NAMED.has(name))) output.out(`${await bench()}\n\n`);
    }
  },
});
