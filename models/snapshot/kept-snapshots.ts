import { readdir, rm } from 'node:fs/promises';
import { type Manifest, readManifest } from './manifest.js';
import { SnapshotFaultError } from './snapshot-fault.js';
import { BUILDING, layoutOf, snapshotDirectory } from './layout.js';
import { readHistory } from './history.js';
import { readPublications } from './pointer.js';

/** How many snapshots are kept, including the live one. */
export const KEPT_SNAPSHOTS = 5;

/** How many history periods are searched for a kept snapshot's publication time. */
const REMEMBERED = 1000;

/** A snapshot on disk, with its manifest or the reason why the manifest cannot be read. */
export interface KeptSnapshot {
  readonly id: string;
  readonly live: boolean;
  /** When it last went live (RFC 3339); null: never, or not recorded. */
  readonly publishedAt: string | null;
  readonly manifest: Manifest | SnapshotFaultError;
}

/**
 * Lists the snapshots on disk: the live one, then earlier live ones as the pointer lists them, then the others, newest
 * first.
 */
export async function listSnapshots(dataDir: string): Promise<readonly KeptSnapshot[]> {
  const publications = await readPublications(dataDir);
  const history = await readHistory(dataDir, REMEMBERED).catch(() => []);
  const pointer = publications.map(({ id }) => id);
  const kept = await Promise.all(
    (await directories(dataDir)).map(async (id) => ({
      id,
      live: id === pointer[0],
      publishedAt:
        publications.find((publication) => publication.id === id)?.publishedAt ??
        history.find((period) => period.id === id)?.from ??
        null,
      manifest: await readManifest(snapshotDirectory(dataDir, id)).catch(faultOnly),
    })),
  );
  const rank = ({ id }: KeptSnapshot): number => (pointer.includes(id) ? pointer.indexOf(id) : pointer.length);
  return kept.toSorted((a, b) => rank(a) - rank(b) || (builtAt(a) < builtAt(b) ? 1 : -1));
}

/** Returns the snapshots beyond the number to keep. */
export async function surplusSnapshots(dataDir: string): Promise<readonly KeptSnapshot[]> {
  return (await listSnapshots(dataDir)).slice(KEPT_SNAPSHOTS).filter(({ live }) => !live);
}

/** Removes a snapshot's directory. The caller holds the catalogue lock. */
export async function removeSnapshot(dataDir: string, id: string): Promise<void> {
  await rm(snapshotDirectory(dataDir, id), { recursive: true, force: true });
}

async function directories(dataDir: string): Promise<string[]> {
  try {
    const entries = await readdir(layoutOf(dataDir).snapshots, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(BUILDING)).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function faultOnly(error: unknown): SnapshotFaultError {
  if (error instanceof SnapshotFaultError) return error;
  throw error;
}

function builtAt({ manifest }: KeptSnapshot): string {
  return manifest instanceof SnapshotFaultError ? '' : manifest.builtAt;
}
