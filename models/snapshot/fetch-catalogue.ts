import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from '../cluster/cluster.js';
import { readDocument } from '../cluster/documents.js';
import { fetchFile, type SharedFile, sharedFiles } from '../cluster/files.js';
import { replaceDurably, syncPath } from '../files/durable.js';
import { BUILDING, IMAGES, layoutOf, POINTER, snapshotDirectory, SNAPSHOTS } from './layout.js';
import { publicationsIn } from './pointer.js';

/** What was made here lately may be on its way to the other nodes. */
const YOUNG_MS = 3_600_000;
const FETCHING = 'fetching';

/**
 * Makes this node's catalogue that of the database: the live snapshot with all images first, then the pointer, then the other
 * snapshots that are kept; what is shared no more goes. Every file is verified by its SHA-256 as it comes.
 *
 * @throws Error when the database does not answer, the disk is full, or a file did not come whole
 */
export async function fetchCatalogue(cluster: Cluster): Promise<void> {
  const { dataDir } = cluster;
  // The pointer first: what it names was shared before it.
  const pointer = await readDocument(cluster, POINTER);
  const files = await sharedFiles(cluster);
  const snapshots = bySnapshot(below(files, SNAPSHOTS));
  const [live] = publicationsIn(pointer ?? '');
  const liveFiles = live && snapshots.get(live.id);
  if (live && liveFiles) await fetchSnapshot(cluster, live.id, liveFiles);
  const images = below(files, IMAGES);
  for (const image of images) await fetchImage(cluster, image);
  if (pointer !== null) await movePointer(dataDir, pointer);
  for (const [id, its] of snapshots) await fetchSnapshot(cluster, id, its);
  await removeOthers(layoutOf(dataDir).snapshots, new Set(snapshots.keys()));
  await removeOthers(layoutOf(dataDir).images, new Set(images.map((image) => path.basename(image.path))));
}

/** Fetches the catalogue when it is another one than at the last look. */
export function catalogueLook(cluster: Cluster): () => Promise<void> {
  let fetched: string | undefined;
  return async () => {
    const { rows } = await cluster.pool.query<{ version: string }>(
      "select string_agg(name || version, ' ' order by name) as version from shared_parts where name in ($1, 'files')",
      [POINTER],
    );
    const version = rows[0]?.version;
    if (version === fetched) return;
    await fetchCatalogue(cluster);
    fetched = version;
  };
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
  // Outside of the snapshots, where half a one would be listed.
  const draft = path.join(dataDir, FETCHING, `${id}-${randomBytes(6).toString('hex')}`);
  await mkdir(draft, { recursive: true });
  try {
    for (const file of files) await fetchFile(cluster, file, path.join(draft, path.basename(file.path)));
    await syncPath(draft);
    await mkdir(path.dirname(place), { recursive: true });
    // One that is damaged, if any.
    await rm(place, { recursive: true, force: true });
    await rename(draft, place);
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
  const file = layoutOf(dataDir).current;
  if (existsSync(file) && (await readFile(file, 'utf8')) === text) return;
  await replaceDurably(file, text);
}

async function removeOthers(folder: string, shared: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => !shared.has(each) && !each.startsWith(BUILDING))) {
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
    if (stats === undefined || Date.now() - stats.mtimeMs < YOUNG_MS) continue;
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
}
