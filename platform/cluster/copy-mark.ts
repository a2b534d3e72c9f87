import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createDurably, replaceDurably, syncPath } from '../files/durable.js';

/** The file that records the database of which a DATA_DIR is a copy. */
const MARK = 'copy-of';

/** Files of an installation without a database; each is created by the first start or command. */
const OWN = [
  'current',
  'keys.json',
  'campaigns.json',
  'taken-down.json',
  'signing-keys.json',
  'access-tokens.json',
  'billing.json',
  'audit.jsonl',
  'ledger.sqlite',
];

/**
 * Marks a DATA_DIR as a node's copy of a database, or checks that it is one. Its content may be overwritten from then
 * on.
 *
 * @param id the database's id
 * @throws Error when DATA_DIR holds an installation of its own, or is the copy of another database
 */
export async function claimCopy(dataDir: string, id: string): Promise<void> {
  const known = copiedFrom(dataDir);
  if (known === id) return;
  const advice = 'give this node a DATA_DIR of its own, which may be empty';
  const another = (): Error => new Error(`DATA_DIR ${dataDir} is the copy of another database; ${advice}`);
  if (known !== null) throw another();
  const own = findInstallationFile(dataDir);
  if (own !== undefined) {
    throw new Error(
      `DATA_DIR ${dataDir} holds an installation of its own (${own}), not a copy of DATABASE_URL's; ${advice}`,
    );
  }
  const isCreated = await createDurably(path.join(dataDir, MARK), `${id}\n`, 0o600);
  // A command may have created it in the meantime.
  if (!isCreated && copiedFrom(dataDir) !== id) throw another();
}

/**
 * Refuses a DATA_DIR that is a copy: changes to a copy would be overwritten.
 *
 * @throws Error when the DATA_DIR is a copy
 */
export function refuseCopy(dataDir: string): void {
  if (copiedFrom(dataDir) === null) return;
  throw new Error(
    `DATA_DIR ${dataDir} is a node's copy of a database: set DATABASE_URL as its server has it, ` +
      'or, where a move out of the database broke off, run npm run move -- --from again',
  );
}

/**
 * Returns the name of a file that shows that a DATA_DIR holds an installation or a copy of one; undefined if it holds
 * neither.
 */
export function findInstallationFile(dataDir: string): string | undefined {
  return OWN.find((name) => existsSync(path.join(dataDir, name)));
}

/**
 * Marks a DATA_DIR as a copy once its installation has been moved into a database. DATA_DIR already holds all of the
 * copy.
 */
export async function markAsCopy(dataDir: string, id: string): Promise<void> {
  await replaceDurably(path.join(dataDir, MARK), `${id}\n`, 0o600);
}

/** Makes a copy an installation of its own. */
export async function removeCopyMark(dataDir: string): Promise<void> {
  await rm(path.join(dataDir, MARK), { force: true });
  await syncPath(dataDir);
}

/** Returns the id of the database of which a DATA_DIR is a copy; null if it is not a copy. */
export function copiedFrom(dataDir: string): string | null {
  try {
    return readFileSync(path.join(dataDir, MARK), 'utf8').trim();
  } catch (error) {
    // ENOTDIR: a path with a file in it cannot be a DATA_DIR; the code that creates the directory reports that.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
