import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes DATA_DIR, with the directories that lead to it, where it is not there. One by one: asked for all at once
 * (`recursive`), Node never comes back where a file system answers as /proc does.
 *
 * @param directory an absolute path
 * @throws Error that says why it cannot be made
 */
export function makeDirectory(directory: string): void {
  try {
    makeMissing(directory);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new Error(`DATA_DIR ${directory} cannot be made (${code}): name a place where this user may write`, {
      cause: error,
    });
  }
}

function makeMissing(directory: string): void {
  if (isDirectory(directory)) return;
  makeMissing(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have been faster.
    if (!isDirectory(directory)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
