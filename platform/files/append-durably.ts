import { open } from 'node:fs/promises';
import path from 'node:path';
import { syncPath } from './durable.js';

const NEWLINE = 10;

/**
 * Appends lines to a file, which is created, readable only by its owner, if it does not exist. The lines are on disk
 * when this returns. Several processes may append to one file: each addition is a single write at its end.
 *
 * @param lines without their newlines
 * @throws Error when the lines could not be written, or only in part: the next addition then begins on a new line
 */
export async function appendDurably(file: string, lines: readonly string[]): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    // The last addition may have been cut off by a full disk or a crash; this one must not join it.
    const begin = size > 0 && last[0] !== NEWLINE ? '\n' : '';
    await handle.appendFile(begin + lines.map((line) => `${line}\n`).join(''));
    await handle.sync();
    if (size === 0) await syncPath(path.dirname(file));
  } finally {
    await handle.close();
  }
}
