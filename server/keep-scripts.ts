import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { removeOldDrafts, replaceDurably } from '../platform/files/durable.js';

export interface KeepScriptsOptions {
  /** Directory of the built script, with one pinned copy, `adsdk.<hash>.js`. */
  readonly from: string;
  /** Directory of the copies of this and earlier releases, in `DATA_DIR`. */
  readonly to: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A version of the script, as pages name it to pin it. Its compressed siblings lie beside it. */
const PINNED = /^adsdk\.[0-9a-f]{16}\.js$/;
const SIBLINGS = ['.br', '.gz', ''];
/** Each has some 20 kB with its siblings. */
const VERSIONS = 20;

/**
 * Keeps the pinned script of this release in `DATA_DIR`, so that pages that name it and its integrity value continue to
 * work after an upgrade to a release with another script. Removes all but the 20 versions that were in use last.
 */
export async function keepScripts({ from, to, now }: KeepScriptsOptions): Promise<void> {
  await mkdir(to, { recursive: true });
  await removeOldDrafts(to, now);
  for (const script of await pinnedIn(from)) {
    // The plain file last: a version is complete once it is there.
    for (const sibling of SIBLINGS) await copyIfOther(join(from, script + sibling), join(to, script + sibling));
    // When it was last in use, so that a release that was gone back to is not the first to be removed.
    await utimes(join(to, script), now / 1000, now / 1000);
  }
  const kept = await Promise.all(
    // Another server on the same DATA_DIR may have removed it in the meantime.
    (await pinnedIn(to)).map(async (script) => ({
      script,
      used: (await stat(join(to, script)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  for (const { script } of kept.toSorted((one, other) => other.used - one.used).slice(VERSIONS)) {
    for (const sibling of SIBLINGS.toReversed()) await rm(join(to, script + sibling), { force: true });
  }
}

/** Returns the names of the pinned scripts in a directory, without their siblings. */
async function pinnedIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => PINNED.test(name));
}

async function copyIfOther(from: string, to: string): Promise<void> {
  const content = await readFile(from);
  const present = await readFile(to).catch(() => null);
  if (present === null || !content.equals(present)) await replaceDurably(to, content);
}
