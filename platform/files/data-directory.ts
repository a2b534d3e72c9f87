import { accessSync, constants, type Dirent, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

/**
 * Returns the first files and folders of DATA_DIR, and of the folders in it, that this user may not both read and write,
 * as after a backup was restored as root; relative to it, at most `most`. Leaves out `lost+found`, which is root's at the
 * top of a file system.
 */
export function findOutOfReach(directory: string, most = 5): string[] {
  const found: string[] = [];
  const look = (folder: string, deeper: boolean): void => {
    for (const entry of entriesOf(join(directory, folder))) {
      if (found.length >= most) return;
      const name = join(folder, entry.name);
      if (name === 'lost+found') continue;
      if (!isInReach(join(directory, name), entry)) found.push(name);
      else if (deeper && entry.isDirectory()) look(name, false);
    }
  };
  look('', true);
  return found;
}

/** Returns nothing for a folder that cannot be listed: it is out of reach itself, or gone. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isInReach(path: string, entry: Dirent): boolean {
  const { R_OK, W_OK, X_OK } = constants;
  try {
    accessSync(path, entry.isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK);
    return true;
  } catch (error) {
    // Files come and go while commands run.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
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
