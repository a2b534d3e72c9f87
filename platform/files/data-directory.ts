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

/**
 * Warns when root runs a command on a DATA_DIR of another user: files that root creates are 0600, so that a service
 * that runs as that user could not read them.
 *
 * @param uid the user who runs this process
 */
export function warnOfOtherOwner(
  directory: string,
  warn: (line: string) => void,
  uid: number | undefined = process.getuid?.(),
): void {
  const owner = uid === 0 ? ownerOf(directory) : 0;
  if (owner === 0) return;
  warn(
    `DATA_DIR ${directory} belongs to the user with id ${owner}: a service that runs as that user cannot read files that ` +
      'root creates there. Run commands as that user (sudo -u).\n',
  );
}

function ownerOf(directory: string): number {
  try {
    return statSync(directory).uid;
  } catch {
    // Whoever opens the directory reports why it cannot be used.
    return 0;
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
