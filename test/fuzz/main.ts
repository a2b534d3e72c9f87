import { availableParallelism, cpus } from 'node:os';
import { rm } from 'node:fs/promises';
import { main, parseOptions, TEXT } from '../../platform/command-line/run-command.js';
import { wholeNumber } from '../../platform/command-line/settings.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { findFaults } from './faults.js';
import { fuzz, type FuzzOutcome } from './fuzz.js';

const usage = `Usage: npm run fuzz [-- options]

Sends hostile requests to a server that it starts, and reports faults: a 5xx status other than 503 and 501, an
event loop that is blocked for over 100 ms, memory that grows, an honest request that fails. Exits with 1 on a fault.

  --requests N   minimum number of requests (default: 10000)
  --seed N       seed of what is sent (default: random, printed)
  --first N      number of the first connection, to repeat a reported fault (default: 0)

Example: npm run fuzz -- --requests 1000000 --seed 7
`;

await main({
  usage,
  async run(argv, output) {
    const { values } = parseOptions(argv, {
      requests: TEXT,
      seed: TEXT,
      first: TEXT,
    });
    const seed = wholeNumber(values.seed, Date.now() % 2 ** 31, 0, 2 ** 31);
    const requests = wholeNumber(values.requests, 10_000, 1, 1e9);
    const first = wholeNumber(values.first, 0, 0, 1e9);
    const dataDir = temporaryDirectory();
    output.out(
      `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}, seed ${seed}\n`,
    );
    const began = Date.now();
    let reported = 0;
    const onProgress = (progress: FuzzOutcome): void => {
      if (progress.requests - reported < requests / 50 && progress.requests < requests) return;
      reported = progress.requests;
      output.out(`${describe(progress, began)}\n`);
    };
    try {
      const outcome = await fuzz({ requests, seed, first, dataDir, onProgress });
      const faults = [...outcome.faults, ...findFaults.inMeasures(outcome.measured)];
      output.out(`${faults.length === 0 ? 'no fault' : faults.join('\n')}\n`);
      if (faults.length > 0) process.exitCode = 1;
    } finally {
      await rm(dataDir, { recursive: true });
    }
  },
});

function describe({ requests, connections, statuses, faults, measured }: FuzzOutcome, began: number): string {
  const { delayMs = 0, busyMs = 0, rssBytes = 0, heapBytes = 0 } = measured.at(-1) ?? {};
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  const answers = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status || 'none'}: ${times}`);
  return [
    `${requests} requests on ${connections} connections in ${Math.round((Date.now() - began) / 1000)} s`,
    `longest turn of the event loop ${Math.round(busyMs)} ms (${Math.round(delayMs)} by the clock)`,
    `memory ${mebibytes(rssBytes)}, heap ${mebibytes(heapBytes)}`,
    `${faults.length} faults`,
    answers.join(', '),
  ].join(' · ');
}
