import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { FLAG, main, parseOptions, TEXT, UsageError } from '../../platform/command-line/run-command.js';
import { describePoint, measuredPoint } from './measured-point.js';
import { withTables } from './document.js';
import { FOLDER, readInputs } from './read-inputs.js';
import { report } from './report.js';

const usage = `Usage: npm run scale [-- options]

Prints the nodes, cores, bytes and money that a load takes, which limit is reached first, and the results of a
simulation with queues, as Markdown tables. Reads unit-costs.json, machines.json (with prices) and workloads.json in
test/scale.

  --inputs FOLDER   reads these files from your folder, and missing ones from test/scale
  --matches N       matches a second in the busiest minute, instead of those of the workloads
  --write           updates the tables in docs/scale.md
  --check           instead runs a server under load and simulates the same load (takes minutes)

Example: npm run scale -- --matches 5000
`;

const DOCUMENT = fileURLToPath(new URL('../../../docs/scale.md', import.meta.url));

await main({
  usage,
  async run(argv, { out }) {
    const { values } = parseOptions(argv, { inputs: TEXT, matches: TEXT, write: FLAG, check: FLAG }, 0);
    const inputs = readInputs(values.inputs === undefined ? [FOLDER] : [path.resolve(values.inputs), FOLDER]);
    if (values.check === true) {
      const processor = cpus()[0]?.model ?? 'unknown processor';
      out(`${processor}, ${availableParallelism()} cores, Node ${process.version}\n`);
      return out(`${describePoint(await measuredPoint(inputs.costs.opening))}\n`);
    }
    if (values.matches !== undefined) {
      const matchesASecond = Number(values.matches);
      if (!(matchesASecond > 0)) throw new UsageError(`--matches must be a number above 0, not "${values.matches}"`);
      const [workload] = inputs.workloads.toSorted(
        (one, other) => distance(one.matchesASecond, matchesASecond) - distance(other.matchesASecond, matchesASecond),
      );
      const one = { ...workload!, name: matchesASecond.toLocaleString('en'), matchesASecond };
      return out(`${report({ ...inputs, workloads: [one] })}\n`);
    }
    const tables = report(inputs);
    if (values.write === true) writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8'), tables));
    else out(`${tables}\n`);
  },
});

/** Returns how far apart two numbers are, by their ratio. */
function distance(one: number, other: number): number {
  return Math.abs(Math.log(one / other));
}
