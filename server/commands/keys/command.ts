import { gateTopics } from '../../../models/safety/gate-model.js';
import { DamagedStoreError, type SharedStore } from '../../stores/shared-store.js';
import { type KeyCommand, readKeyCommand, UsageError } from '../../keys/arguments.js';
import {
  type CreatedKey,
  createKey,
  deactivateKey,
  KeyChangeError,
  rotateKey,
  setPublisher,
} from '../../keys/changes.js';
import type { KeyFile } from '../../keys/key-file.js';
import { listKeys } from './list.js';

export const USAGE = `Usage: npm run keys -- COMMAND [options]

Publishers' keys. A running server follows within a second.

  create --publisher NAME        a key for this publisher, printed alone on the last line
    --test                       one that bills nothing
    --origin https://SITE …      taken from these pages only (default: from anywhere)
    --expires T                  a date-time, a date or a duration such as 90d (default: never)
    --requests-per-minute N      answers 429 above (default: no limit)
  list [--json]                  all keys, without the secret
  rotate KEY_ID [--overlap D]    a new key; the old one goes on for a while (default: 24h)
  deactivate KEY_ID              ends a key now
  set --publisher NAME           what holds for all keys of a publisher, such as
    --floor X|default            its own lowest score, 0 to 1
    --block-category C …         no ads of these; an empty value clears the list
    --block-advertiser A …       likewise
    --allow-topic T …            sensitive topics that it answers all the same; likewise. There are:
${topicLines()}

Example: npm run keys -- create --publisher "Garden Chat" --origin https://garden.example
Settings: DATA_DIR, TIME_ZONE
`;

function topicLines(): string {
  const topics = gateTopics();
  const lines = Array.from({ length: Math.ceil(topics.length / 5) }, (_, at) => topics.slice(5 * at, 5 * at + 5));
  return lines.map((line) => `${' '.repeat(33)}${line.join(', ')}`).join(',\n');
}

export interface KeyCommandIo {
  readonly store: SharedStore<KeyFile>;
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/**
 * Runs one `keys` command. Last line of `create` and `rotate` is the key alone, for scripts.
 *
 * @returns the exit code: 0 done, 1 refused, 2 not understood
 */
export async function runKeyCommand(argv: readonly string[], io: KeyCommandIo): Promise<number> {
  try {
    await run(readKeyCommand(argv, io.timeZone, io.now), io);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`keys: ${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (error instanceof KeyChangeError || error instanceof DamagedStoreError) {
      io.err(`keys: ${error.message}`);
      return 1;
    }
    throw error;
  }
}

async function run(command: KeyCommand, { store, now, out }: KeyCommandIo): Promise<void> {
  switch (command.name) {
    case 'create':
      return show(await store.change((file) => createKey(file, command.key, now)), out);
    case 'rotate':
      show(await store.change((file) => rotateKey(file, command.id, command.overlapMs, now)), out);
      return;
    case 'deactivate': {
      const { id, deactivatedAt } = await store.change((file) => deactivateKey(file, command.id, now));
      return out(`${id} is deactivated since ${deactivatedAt}`);
    }
    case 'set': {
      const publisher = await store.change((file) => setPublisher(file, command.publisher, command.settings));
      return out(JSON.stringify(publisher));
    }
    case 'list':
      return out(listKeys(await store.read(), now, command.json));
  }
}

function show({ key, stored }: CreatedKey, out: (line: string) => void): void {
  out(`${stored.id} for ${stored.publisher}${stored.test ? ', a test key: nothing is billed' : ''}`);
  if (stored.expiresAt !== null) out(`expires ${stored.expiresAt}`);
  out('The key is shown this once:');
  out(key);
}
