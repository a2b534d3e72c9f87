import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { readDocument } from '../../platform/cluster/documents.js';
import { fetchFile, type SharedFile, sharedFiles, sharedOf } from '../../platform/cluster/files.js';
import { replaceDurably, syncPath } from '../../platform/files/durable.js';
import { HOUR } from '../../platform/time/durations.js';
import { BUILDING, IMAGES, layoutOf, POINTER, snapshotDirectory, SNAPSHOTS } from './layout.js';
import { publicationsIn } from './pointer.js';

/** Files younger than this may be about to be shared. */
const YOUNG_MS = HOUR;
const FETCHING = 'fetching';

/**
 * Brings this node's catalogue up to date with the database. It fetches all images and the live snapshot, moves the
 * pointer, and then fetches the other kept snapshots and removes what is no longer shared. Each file is verified by its
 * SHA-256 on arrival. The pointer does not move if the snapshot that it would name is not shared, or if the pointer has
 * changed in the database in the meantime.
 *
 * @param keepsYoung whether to keep files of the last hour that are not shared: another process of this node may be
 *   about to share them
 * @returns whether the live snapshot is shared
 * @throws Error when the database does not respond, the disk is full, or a file arrives incomplete or damaged
 */
export async function fetchCatalogue(cluster: Cluster, keepsYoung = true): Promise<boolean> {
  const { dataDir } = cluster;
  // Reads the pointer before the list of files: what the pointer names was shared before it.
  const pointer = await readDocument(cluster, POINTER);
  const files = await sharedFiles(cluster);
  const snapshots = bySnapshot(below(files, SNAPSHOTS));
  const [live] = publicationsIn(pointer ?? '');
  const liveFiles = live && snapshots.get(live.id);
  if (live && liveFiles) await fetchSnapshot(cluster, live.id, liveFiles);
  const images = below(files, IMAGES);
  for (const image of images) await fetchImage(cluster, image);
  if (pointer !== null && liveFiles && (await readDocument(cluster, POINTER)) === pointer) {
    await movePointer(dataDir, pointer);
  }
  for (const [id, its] of snapshots) await fetchSnapshot(cluster, id, its);
  const keptMs = keepsYoung ? YOUNG_MS : -Infinity;
  await removeOthers(layoutOf(dataDir).snapshots, new Set(snapshots.keys()), keptMs);
  await removeOthers(layoutOf(dataDir).images, new Set(images.map((image) => path.basename(image.path))), keptMs);
  // Left by processes that were killed while fetching.
  await removeOthers(path.join(dataDir, FETCHING), new Set(), keptMs);
  return live === undefined || liveFiles !== undefined;
}

/**
 * Returns a function that fetches the catalogue if it has changed since the last call, or if this node's pointer
 * differs: another process that had read an older pointer may have put it in place.
 */
export function createCatalogueRefresh(cluster: Cluster): () => Promise<void> {
  let fetched: string | undefined;
  return async () => {
    const { rows } = await cluster.pool.query<{ version: string | null; pointer: string | null }>(
      `select string_agg(name || version, ' ' order by name) as version,
              max(content) filter (where name = $1) as pointer
         from shared_parts where name in ($1, 'files')`,
      [POINTER],
    );
    const { version = null, pointer = null } = rows[0] ?? {};
    const seen = `${version} ${pointer === (await readHere(cluster.dataDir))}`;
    if (seen === fetched) return;
    const shared = await fetchCatalogue(cluster);
    fetched = `${version} ${shared}`;
    if (!shared) throw new Error('no node shares the live snapshot, and this one cannot follow: index the feed again');
  };
}

/**
 * Fetches the named images that are shared, without the snapshots that use them. One image that fails does not prevent
 * the others. Each is verified by its SHA-256.
 *
 * @throws Error when the database does not respond, the disk is full, or an image arrives incomplete or damaged
 */
export async function fetchImages(cluster: Cluster, names: readonly string[]): Promise<void> {
  const faults: unknown[] = [];
  for (const image of await sharedOf(
    cluster,
    names.map((name) => `${IMAGES}/${name}`),
  )) {
    await fetchImage(cluster, image).catch((error: unknown) => faults.push(error));
  }
  if (faults.length > 0) throw faults[0];
}

function below(files: readonly SharedFile[], folder: string): readonly SharedFile[] {
  return files.filter((file) => file.path.startsWith(`${folder}/`));
}

function bySnapshot(files: readonly SharedFile[]): ReadonlyMap<string, readonly SharedFile[]> {
  const snapshots = new Map<string, SharedFile[]>();
  for (const file of files) {
    const id = path.basename(path.dirname(file.path));
    snapshots.set(id, [...(snapshots.get(id) ?? []), file]);
  }
  return snapshots;
}

async function fetchSnapshot(cluster: Cluster, id: string, files: readonly SharedFile[]): Promise<void> {
  const { dataDir } = cluster;
  const place = snapshotDirectory(dataDir, id);
  if (files.every((file) => isThere(dataDir, file))) return;
  // Outside the snapshots directory, where an incomplete snapshot would be listed.
  const draft = path.join(dataDir, FETCHING, `${id}-${randomBytes(6).toString('hex')}`);
  await mkdir(draft, { recursive: true });
  try {
    for (const file of files) await fetchFile(cluster, file, path.join(draft, path.basename(file.path)));
    await syncPath(draft);
    await mkdir(path.dirname(place), { recursive: true });
    await rename(draft, place).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      // Another fetch may have put the same snapshot in place, and it may be in use. Otherwise the snapshot there is
      // damaged.
      if (files.every((file) => isThere(dataDir, file))) return;
      await rm(place, { recursive: true, force: true });
      await rename(draft, place);
    });
    await syncPath(path.dirname(place));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function fetchImage(cluster: Cluster, image: SharedFile): Promise<void> {
  if (isThere(cluster.dataDir, image)) return;
  const target = path.join(cluster.dataDir, image.path);
  const draft = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(path.dirname(target), { recursive: true });
  try {
    await fetchFile(cluster, image, draft);
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}

function isThere(dataDir: string, file: SharedFile): boolean {
  return statSync(path.join(dataDir, file.path), { throwIfNoEntry: false })?.size === file.bytes;
}

async function movePointer(dataDir: string, text: string): Promise<void> {
  if ((await readHere(dataDir)) !== text) await replaceDurably(layoutOf(dataDir).current, text);
}

/** Returns this node's pointer; null if it has none. */
async function readHere(dataDir: string): Promise<string | null> {
  const file = layoutOf(dataDir).current;
  return existsSync(file) ? readFile(file, 'utf8') : null;
}

async function removeOthers(folder: string, shared: ReadonlySet<string>, keptMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => !shared.has(each) && !each.startsWith(BUILDING))) {
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
    if (stats === undefined || Date.now() - stats.mtimeMs < keptMs) continue;
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
}
