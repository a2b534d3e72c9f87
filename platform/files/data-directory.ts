import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates DATA_DIR and its missing parent directories, one by one: Node's recursive `mkdir` never returns on a file
 * system that responds as /proc does.
 *
 * @param directory an absolute path
 * @throws Error stating why it cannot be created
 */
export function makeDataDirectory(directory: string): void {
  try {
    makeMissing(directory);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new Error(
      `DATA_DIR ${directory} cannot be created (${code}): choose a directory that this user can write to`,
      {
        cause: error,
      },
    );
  }
}

function makeMissing(directory: string): void {
  if (isDirectory(directory)) return;
  makeMissing(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!isDirectory(directory)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
