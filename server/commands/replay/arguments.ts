import { FLAG, fraction, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import type { Config } from '../../config/config.js';
import { readCommand } from '../shared/read-command.js';

export const usage = `Usage: npm run replay -- CONTEXTS [--snapshot A] [--against B] [--floor X] [options]

Decides recorded conversations twice and prints what would change. Nothing is published, counted or stored.

  CONTEXTS           one conversation per line: JSON {"context" or "messages", "relevant"?: [ids of right creatives]} or text;
                     - reads standard input
  --snapshot A       the snapshot to start from (default: the live snapshot)
  --against B        the snapshot to compare with (default: the same)
  --floor X          the floor to compare with (default: the same)
  --publisher NAME   with this publisher's floor and block lists (default: a publisher without settings)
  --examples N       conversations shown for each kind of change (default: 5)
  --json             one JSON object instead of text
  --data-dir DIR     where the snapshots are (default: the DATA_DIR setting, ./data)

Example: npm run replay -- contexts.jsonl --against 60c22d41a2dc4323 --floor 0.6
`;

export interface ReplayArguments {
  readonly file: string;
  readonly snapshot: string | undefined;
  readonly against: string | undefined;
  readonly floor: number | undefined;
  readonly publisher: string | undefined;
  readonly examples: number;
  readonly json: boolean;
  readonly config: Config;
}

const OPTIONS = { snapshot: TEXT, against: TEXT, floor: TEXT, publisher: TEXT, examples: TEXT, json: FLAG } as const;

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments(argv: readonly string[]): ReplayArguments {
  const { values, positionals, config } = readCommand(argv, OPTIONS);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('give one file of conversations');
  const { snapshot, against, publisher, examples = '5', json = false } = values;
  if (!/^\d{1,4}$/.test(examples)) throw new UsageError(`--examples must be a whole number, not "${examples}"`);
  const floor = fraction('floor', values.floor);
  return { file, snapshot, against, floor, publisher, examples: Number(examples), json, config };
}
