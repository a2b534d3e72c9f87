import { FLAG, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import { databaseUrl } from '../../../platform/command-line/database-url.js';
import { SettingError } from '../../../platform/command-line/settings.js';
import { readCommand } from '../shared/read-command.js';

export const usage = `Usage: npm run move -- --to DATABASE_URL | --from DATABASE_URL [options]

Moves an installation from DATA_DIR into PostgreSQL, for several nodes, or back. Stop all its servers first. Both sides are
compared by counts, sums and digests; until they are equal, no server starts on the target. If interrupted, run it again.

  --to URL         from DATA_DIR into an empty database; DATA_DIR is then a node's copy of it
  --from URL       from a database into an empty DATA_DIR, or that of a node; no node starts on the database afterwards
                   (the word DATABASE_URL means the setting, which hides its password from other users of the machine)
  --json           prints the comparison as one JSON object
  --data-dir DIR   where the installation is or will be (default: the DATA_DIR setting, ./data)

Dashboard sessions end, and encoders fetched by fetch-model are not moved.

Example: npm run move -- --to DATABASE_URL
Settings: DATA_DIR, DATABASE_URL
`;

export interface MoveArguments {
  readonly direction: 'to' | 'from';
  readonly url: string;
  readonly dataDir: string;
  readonly json: boolean;
}

/** Reads and checks the command line. @throws UsageError, SettingsError */
export function readArguments(argv: readonly string[]): MoveArguments {
  const { values, config } = readCommand(argv, { to: TEXT, from: TEXT, json: FLAG }, 0);
  const { to, from, json = false } = values;
  if ((to === undefined) === (from === undefined)) throw new UsageError('one of --to and --from is needed');
  const direction = to === undefined ? 'from' : 'to';
  const given = to ?? from!;
  if (given === SETTING && config.databaseUrl === null) throw new UsageError('the setting DATABASE_URL is not set');
  const url = given === SETTING ? config.databaseUrl! : addressOf(direction, given);
  return { direction, url, dataDir: config.dataDir, json };
}

const SETTING = 'DATABASE_URL';

function addressOf(option: string, text: string): string {
  try {
    return databaseUrl(text.trim() || '-')!;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new UsageError(`--${option} ${error.message}, or the word ${SETTING}`);
  }
}
