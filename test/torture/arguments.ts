import { parseOptions, TEXT, UsageError } from '../../platform/command-line/run-command.js';
import { CLUSTER_FAULT_NAMES } from './cluster/fault-names.js';
import type { ClusterArguments } from './cluster/cluster-tortured.js';
import { FAULT_NAMES } from './node/fault-names.js';
import type { TortureArguments } from './node/torture.js';

export const usage = `Usage: npm run torture -- [options]

Runs the server while it is killed and its disk, files, clock and threads fail at random. After each kill, compares
the ledger with the replies that callers got. On a difference, exits with 1 and keeps the data directory.

  --kills N       end after this many kills (default: 2000)
  --minutes N     end after this many minutes, whichever comes first (default: 0, no limit)
  --seed N        seed of the random choice of faults (default: 1)
  --faults LIST   only these, separated by commas (default: all; "none": only kills):
                  ${FAULT_NAMES.join(', ')}
  --work-dir DIR  where to create the data directory (default: the system's temporary directory)

With --nodes, runs several nodes behind a proxy on their own PostgreSQL; nodes, proxy and database fail. After each
round of faults, compares the ledger with the replies.

  --nodes N       number of nodes, 2 to 9
  --minutes N     no round begins after this many minutes (default: 10)
  --faults LIST   ${CLUSTER_FAULT_NAMES.join(', ')}

Example: npm run torture -- --kills 100 --seed 7
         npm run torture -- --nodes 3 --minutes 10 --seed 7
`;

/** @throws UsageError naming what is wrong */
export function readArguments(argv: readonly string[]): TortureArguments | ClusterArguments {
  const options = { nodes: TEXT, kills: TEXT, minutes: TEXT, seed: TEXT, faults: TEXT, 'work-dir': TEXT } as const;
  const { values } = parseOptions(argv, options, 0);
  const whole = (name: 'nodes' | 'kills' | 'minutes' | 'seed', fallback: number): number => {
    const text = values[name] ?? String(fallback);
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}"`);
    return Number(text);
  };
  const shared = { seed: whole('seed', 1), workDir: values['work-dir'] };
  if (values.nodes === undefined) {
    const faults = readFaults(values.faults, FAULT_NAMES);
    return { ...shared, kills: whole('kills', 2000), minutes: whole('minutes', 0), faults };
  }
  const nodes = whole('nodes', 3);
  if (nodes < 2 || nodes > 9) throw new UsageError(`--nodes must be from 2 to 9, not ${nodes}`);
  if (values.kills !== undefined) throw new UsageError('--kills is for a single server; use --minutes with --nodes');
  return { ...shared, nodes, minutes: whole('minutes', 10), faults: readFaults(values.faults, CLUSTER_FAULT_NAMES) };
}

function readFaults<Name extends string>(list: string | undefined, names: readonly Name[]): readonly Name[] {
  if (list === undefined) return names;
  if (list === 'none') return [];
  return list.split(',').map((text) => {
    const name = names.find((each) => each === text);
    if (name === undefined) throw new UsageError(`--faults: ${text} is none of ${names.join(', ')}`);
    return name;
  });
}
