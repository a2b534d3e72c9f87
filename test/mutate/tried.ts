import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What was tried before, by everything that it depends on: a run that was ended goes on, and a second one is quick. */
export interface Tried {
  /** @returns whether the tests noticed; undefined: not tried yet */
  noticed(key: string): boolean | undefined;
  add(key: string, noticed: boolean): void;
}

const FILE = fileURLToPath(new URL('../../../data/mutate/tried.txt', import.meta.url));

export function openTried(file = FILE): Tried {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const known = new Map(lines.map((line) => line.split(' ') as [string, string]));
  mkdirSync(dirname(file), { recursive: true });
  return {
    noticed: (key) => (known.has(key) ? known.get(key) === 'noticed' : undefined),
    add(key, noticed) {
      known.set(key, noticed ? 'noticed' : 'survived');
      appendFileSync(file, `${key} ${known.get(key)}\n`);
    },
  };
}

/** One name for all that decides about a slip: the files of its folder, the tests and the slip itself. */
export function keyOf(contents: readonly string[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content).update('\0');
  return hash.digest('hex').slice(0, 32);
}
