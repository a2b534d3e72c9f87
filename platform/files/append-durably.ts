import { open } from 'node:fs/promises';
import path from 'node:path';
import { syncPath } from './durable.js';

const NEWLINE = 10;

/**
 * Adds lines to the end of a file, made where it is not there, readable by its owner alone. They are on the disk when this
 * returns. Several processes may add to one file: each addition is one write at its end.
 *
 * @param lines without their newlines
 * @throws Error when they could not be added, or only a part of them: what comes after begins a line of its own
 */
export async function appendDurably(file: string, lines: readonly string[]): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    // An addition that a full disk or a crash cut off must not join this one.
    const begin = size > 0 && last[0] !== NEWLINE ? '\n' : '';
    await handle.appendFile(begin + lines.map((line) => `${line}\n`).join(''));
    await handle.sync();
    if (size === 0) await syncPath(path.dirname(file));
  } finally {
    await handle.close();
  }
}
