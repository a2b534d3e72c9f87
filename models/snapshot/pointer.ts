import { readFile } from 'node:fs/promises';
import { replaceDurably } from '../files/durable.js';
import { layoutOf } from './layout.js';

/** A snapshot that was made live, and when (RFC 3339); null where an older version did not note it. */
export interface Publication {
  readonly id: string;
  readonly publishedAt: string | null;
}

// Only what looks like an id: whatever stands in the file becomes a path.
const LINE = /^([0-9a-f]{16})(?: (\S+))?$/;

/**
 * Reads the pointer: snapshots, one a line, the live one first and below it those that were live before, latest first.
 * Empty when nothing was ever published.
 */
export async function readPublications(dataDir: string): Promise<readonly Publication[]> {
  try {
    const text = await readFile(layoutOf(dataDir).current, 'utf8');
    return text.split('\n').flatMap((line) => {
      const [, id, publishedAt = null] = LINE.exec(line) ?? [];
      return id === undefined ? [] : [{ id, publishedAt }];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The ids alone. */
export async function readPointer(dataDir: string): Promise<readonly string[]> {
  return (await readPublications(dataDir)).map(({ id }) => id);
}

/** Moves the pointer by one rename. The caller holds the catalogue lock. */
export async function writePointer(dataDir: string, publications: readonly Publication[]): Promise<void> {
  const lines = publications.map(({ id, publishedAt }) => (publishedAt === null ? id : `${id} ${publishedAt}`));
  await replaceDurably(layoutOf(dataDir).current, lines.map((line) => `${line}\n`).join(''));
}
