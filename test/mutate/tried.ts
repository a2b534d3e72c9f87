import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The result of a mutation, identified by content: the test that noticed it, or all the tests that it survived. */
export interface Trial {
  readonly noticed: boolean;
  /** Digest of that test, or of all tests together. */
  readonly by: string;
}

/**
 * Earlier results, so that an interrupted run can continue, and a run with additional tests retries only the survivors.
 */
export interface Tried {
  /** @param key digest of the mutation and of the code to which it applies */
  find(key: string): Trial | undefined;
  add(key: string, trial: Trial): void;
}

const FILE = fileURLToPath(new URL('../../../data/mutate/tried.txt', import.meta.url));

export function openTried(file = FILE): Tried {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const known = new Map(
    lines.map((line) => {
      const [mutation = '', outcome, by = ''] = line.split(' ');
      return [mutation, { noticed: outcome === 'noticed', by }] as const;
    }),
  );
  mkdirSync(dirname(file), { recursive: true });
  return {
    find: (key) => known.get(key),
    add(key, trial) {
      known.set(key, trial);
      appendFileSync(file, `${key} ${trial.noticed ? 'noticed' : 'survived'} ${trial.by}\n`);
    },
  };
}

/** Returns one digest for several contents. */
export function digestOf(contents: readonly string[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content).update('\0');
  return hash.digest('hex').slice(0, 32);
}
