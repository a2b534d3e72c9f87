import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { replaceDurably, syncPath, writeDurably } from '../files/durable.js';

/** The file that says of which database a DATA_DIR is a node's copy. */
const MARK = 'copy-of';

/** What an installation without a database keeps, each of it made by its first start or command. */
const OWN = [
  'current',
  'keys.json',
  'campaigns.json',
  'taken-down.json',
  'signing-keys.json',
  'audit.jsonl',
  'ledger.sqlite',
];

/**
 * Makes a DATA_DIR a node's copy of a database, or finds that it is one. What is in it would be overwritten.
 *
 * @param id the database's
 * @throws Error when it is an installation of its own, or the copy of another database
 */
export async function claimCopy(dataDir: string, id: string): Promise<void> {
  const known = copiedFrom(dataDir);
  if (known === id) return;
  const advice = 'give this node a DATA_DIR of its own, which may be empty';
  if (known !== null) throw new Error(`DATA_DIR ${dataDir} is the copy of another database; ${advice}`);
  const own = ownPart(dataDir);
  if (own !== undefined) {
    throw new Error(
      `DATA_DIR ${dataDir} holds an installation of its own (${own}), not a copy of DATABASE_URL's; ${advice}`,
    );
  }
  await writeDurably(path.join(dataDir, MARK), `${id}\n`, 0o600).catch((error: NodeJS.ErrnoException) => {
    // A command may have been faster.
    if (error.code !== 'EEXIST' || copiedFrom(dataDir) !== id) throw error;
  });
}

/** Nothing that is done to a copy would last. @throws Error when the DATA_DIR is one */
export function refuseCopy(dataDir: string): void {
  if (copiedFrom(dataDir) === null) return;
  throw new Error(
    `DATA_DIR ${dataDir} is a node's copy of a database: set DATABASE_URL as its server has it, ` +
      'or, where a move out of the database broke off, run npm run move -- --from again',
  );
}

/** What shows that a DATA_DIR holds an installation, or its copy; undefined: it holds none. */
export function ownPart(dataDir: string): string | undefined {
  return OWN.find((name) => existsSync(path.join(dataDir, name)));
}

/** The installation in a DATA_DIR is in a database from now on, and the DATA_DIR a node's copy, all of which is there already. */
export async function becomeCopy(dataDir: string, id: string): Promise<void> {
  await replaceDurably(path.join(dataDir, MARK), `${id}\n`, 0o600);
}

/** What was copied is an installation of its own from now on. */
export async function becomeOwn(dataDir: string): Promise<void> {
  await rm(path.join(dataDir, MARK), { force: true });
  await syncPath(dataDir);
}

/** The id of the database that a DATA_DIR is a copy of; null: it is none. */
export function copiedFrom(dataDir: string): string | null {
  try {
    return readFileSync(path.join(dataDir, MARK), 'utf8').trim();
  } catch (error) {
    // A DATA_DIR below a file cannot be made, which whoever makes it says.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
