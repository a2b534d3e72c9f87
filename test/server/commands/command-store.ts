import { rmSync } from 'node:fs';
import { type Command, runCommand } from '../../../platform/command-line/run-command.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** The stores that a command is tested with. */
export const COMMAND_STORES = ['a file', 'a database that nodes share'] as const;

/** An empty DATA_DIR, with or without a database, that commands run on. */
export interface CommandStore {
  readonly dataDir: string;
  readonly database: TemporaryDatabase | undefined;
  /** Runs a command with this store, and returns its exit code and output. */
  run(command: Command, args: readonly string[]): Promise<{ code: number; out: string; err: string }>;
}

/** Returns a store that the suite which calls this makes anew for each test. */
export function commandStore(where: (typeof COMMAND_STORES)[number]): CommandStore {
  let dataDir: string;
  let database: TemporaryDatabase | undefined;
  beforeEach(async () => {
    dataDir = temporaryDirectory();
    database = where === 'a file' ? undefined : await temporaryDatabase();
  });
  afterEach(async () => {
    rmSync(dataDir, { recursive: true });
    await database?.drop();
  });
  return {
    get dataDir() {
      return dataDir;
    },
    get database() {
      return database;
    },
    async run(command, args) {
      let [out, err] = ['', ''];
      const place = ['--data-dir', dataDir, ...(database === undefined ? [] : ['--database-url', database.url])];
      const code = await runCommand(command, [...args, ...place], {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
      });
      return { code, out, err };
    },
  };
}
