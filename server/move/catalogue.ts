import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { readSharedFile, sharedFiles, unshareFiles } from '../../platform/cluster/files.js';
import { sha256 } from '../../platform/text/sha256.js';
import { listImages } from '../../models/snapshot/images.js';
import { listSnapshots } from '../../models/snapshot/kept-snapshots.js';
import { IMAGES, snapshotDirectory, SNAPSHOTS } from '../../models/snapshot/layout.js';
import { shareImages, shareSnapshot } from '../../models/snapshot/shared-catalogue.js';
import { measureFile } from '../../models/snapshot/stored-file.js';

/**
 * Shares all snapshots and images of DATA_DIR, and unshares all others. Files that an earlier try has sent are not sent
 * again.
 */
export async function copyCatalogue(cluster: Cluster): Promise<void> {
  const { dataDir } = cluster;
  const there = new Set(await catalogueFiles(dataDir));
  const others = (await sharedFiles(cluster)).map((file) => file.path).filter((file) => !there.has(file));
  await unshareFiles(cluster, others);
  for (const { id } of await listSnapshots(dataDir)) await shareSnapshot(cluster, id);
  await shareImages(cluster, await listImages(dataDir));
}

/**
 * Measures the catalogue in DATA_DIR, per snapshot and for all images together: number of files, bytes, and one digest.
 */
export async function measureCatalogue(dataDir: string): Promise<ReadonlyMap<string, string>> {
  const files: Measured[] = [];
  for (const name of await catalogueFiles(dataDir)) {
    files.push({ path: name, ...(await measureFile(path.join(dataDir, name))) });
  }
  return summary(files);
}

/** Measures the catalogue in a database the same way. Reads every byte. */
export async function measureShared(cluster: Cluster): Promise<ReadonlyMap<string, string>> {
  const files: Measured[] = [];
  for (const file of await sharedFiles(cluster)) {
    let bytes = 0;
    const sha256 = await readSharedFile(cluster, file, async (content) => (bytes += content.length));
    files.push({ path: file.path, bytes, sha256 });
  }
  return summary(files);
}

interface Measured {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

async function catalogueFiles(dataDir: string): Promise<string[]> {
  const files: string[] = [];
  for (const { id } of await listSnapshots(dataDir)) {
    const names = await readdir(snapshotDirectory(dataDir, id));
    files.push(...names.map((name) => `${SNAPSHOTS}/${id}/${name}`));
  }
  return [...files, ...(await listImages(dataDir)).map((name) => `${IMAGES}/${name}`)];
}

function summary(files: readonly Measured[]): ReadonlyMap<string, string> {
  const folderOf = ({ path: file }: Measured): string => path.posix.dirname(file).replace(`${SNAPSHOTS}/`, 'snapshot ');
  const folders = [...new Set(files.map(folderOf))];
  return new Map(folders.map((folder) => [folder, summaryOf(files.filter((file) => folderOf(file) === folder))]));
}

function summaryOf(files: readonly Measured[]): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const lines = files.map((file) => `${file.sha256} ${file.path}\n`).toSorted();
  return `${files.length} files, ${bytes} bytes, sha256 ${sha256(lines.join(''))}`;
}
