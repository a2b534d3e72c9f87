import { readFile } from 'node:fs/promises';
import { replaceDurably } from './durable.js';
import { layoutOf } from './layout.js';

/**
 * Reads the pointer: ids of snapshots, one a line, the live one first and below it those that were live before,
 * latest first. Empty when nothing was ever published.
 */
export async function readPointer(dataDir: string): Promise<readonly string[]> {
  try {
    const text = await readFile(layoutOf(dataDir).current, 'utf8');
    // Only what looks like an id: whatever stands in the file becomes a path.
    return text.split('\n').filter((line) => /^[0-9a-f]{16}$/.test(line));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Moves the pointer by one rename. The caller holds the catalogue lock. */
export async function writePointer(dataDir: string, ids: readonly string[]): Promise<void> {
  await replaceDurably(layoutOf(dataDir).current, ids.map((id) => `${id}\n`).join(''));
}
