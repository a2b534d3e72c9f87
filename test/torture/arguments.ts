import { parseOptions, TEXT, UsageError } from '../../models/command-line/run-command.js';
import { FAULT_NAMES, type FaultName } from './fault-names.js';

export const usage = `Usage: npm run torture -- [options]

Runs the server while it is killed and its disk, files, clock and threads fail at random, and compares after each kill
what the ledger holds with what the callers were told. Ends with 1 at a difference, and keeps the data directory then.

  --kills N       end after so many kills (default: 2000)
  --minutes N     end after so many minutes, whichever comes first (default: 0, no limit)
  --seed N        other faults at other moments (default: 1)
  --faults LIST   only these, separated by commas (default: all; none: kills alone):
                  ${FAULT_NAMES.join(', ')}
  --work-dir DIR  where the data directory is made (default: the system's temporary directory)

Example: npm run torture -- --kills 100 --seed 7
`;

export interface TortureArguments {
  readonly kills: number;
  /** 0: no limit. */
  readonly minutes: number;
  readonly seed: number;
  readonly faults: readonly FaultName[];
  /** Undefined: the system's temporary directory. */
  readonly workDir: string | undefined;
}

/** @throws UsageError naming what is wrong */
export function readArguments(argv: readonly string[]): TortureArguments {
  const options = { kills: TEXT, minutes: TEXT, seed: TEXT, faults: TEXT, 'work-dir': TEXT } as const;
  const { values } = parseOptions(argv, options, 0);
  const whole = (name: 'kills' | 'minutes' | 'seed', fallback: number): number => {
    const text = values[name] ?? String(fallback);
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}"`);
    return Number(text);
  };
  return {
    kills: whole('kills', 2000),
    minutes: whole('minutes', 0),
    seed: whole('seed', 1),
    faults: readFaults(values.faults),
    workDir: values['work-dir'],
  };
}

function readFaults(list: string | undefined): readonly FaultName[] {
  if (list === undefined) return FAULT_NAMES;
  if (list === 'none') return [];
  return list.split(',').map((text) => {
    const name = FAULT_NAMES.find((each) => each === text);
    if (name === undefined) throw new UsageError(`--faults: ${text} is none of ${FAULT_NAMES.join(', ')}`);
    return name;
  });
}
