import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ExpectedEncoder } from '../../models/snapshot/stored-creatives.js';

/** Name within DATA_DIR. Not shared between nodes, not moved, and not worth a backup. */
const EMBEDDED = 'embedded-so-far';

/** How long vectors are kept after the last one was added, if no later run of the source publishes. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** A file with the vectors that one encoder made for one source's feed, in a run that has not published yet. */
export interface EmbeddedFile {
  readonly file: string;
  readonly source: string;
  readonly fingerprint: string;
}

/** Returns where a source's run stores the vectors of an encoder. */
export function embeddedFile(dataDir: string, source: string, { fingerprint }: ExpectedEncoder): string {
  return path.join(dataDir, EMBEDDED, `${source}.${fingerprint}`);
}

/** Lists the files of all sources and encoders. */
export async function listEmbedded(dataDir: string): Promise<readonly EmbeddedFile[]> {
  const directory = path.join(dataDir, EMBEDDED);
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.map((name) => {
    // A source's name may contain dots, a fingerprint does not.
    const dot = name.lastIndexOf('.');
    return { file: path.join(directory, name), source: name.slice(0, dot), fingerprint: name.slice(dot + 1) };
  });
}

/**
 * Removes what is no longer needed after a publication: the source's own files, and every file of an encoder that is no
 * longer in use. The caller holds the catalogue lock.
 *
 * @param encoders those of the published snapshot
 */
export async function removeEmbedded(
  dataDir: string,
  source: string,
  encoders: readonly ExpectedEncoder[],
): Promise<void> {
  const inUse = new Set(encoders.map(({ fingerprint }) => fingerprint));
  const files = await listEmbedded(dataDir);
  await removeFiles(
    dataDir,
    files.filter((each) => each.source === source || !inUse.has(each.fingerprint)),
  );
}

/**
 * Removes files to which nothing was added for 30 days. The caller holds the catalogue lock.
 *
 * @param now epoch milliseconds
 */
export async function removeOldEmbedded(dataDir: string, now: number): Promise<void> {
  const old: EmbeddedFile[] = [];
  for (const each of await listEmbedded(dataDir)) {
    if ((await stat(each.file)).mtimeMs + KEPT_MS <= now) old.push(each);
  }
  await removeFiles(dataDir, old);
}

async function removeFiles(dataDir: string, files: readonly EmbeddedFile[]): Promise<void> {
  if (files.length === 0) return;
  for (const { file } of files) await rm(file, { force: true, recursive: true });
  // Fails while files of other sources are left.
  await rmdir(path.join(dataDir, EMBEDDED)).catch(() => {});
}
