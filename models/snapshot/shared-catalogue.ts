import { readdir } from 'node:fs/promises';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { shareFiles, sharedFiles, unshareFiles } from '../../platform/cluster/files.js';
import { removeOtherVectorTables } from '../pgvector/vector-table.js';
import { IMAGES, snapshotDirectory, SNAPSHOTS } from './layout.js';

/** Shares all files of a snapshot in this node's DATA_DIR. The pointer may name the snapshot only after that. */
export async function shareSnapshot(cluster: Cluster, id: string): Promise<void> {
  const names = await readdir(snapshotDirectory(cluster.dataDir, id));
  await shareFiles(
    cluster,
    names.map((name) => `${SNAPSHOTS}/${id}/${name}`),
  );
}

/** Shares stored images by name. */
export async function shareImages(cluster: Cluster, names: Iterable<string>): Promise<void> {
  await shareFiles(
    cluster,
    Array.from(names, (name) => `${IMAGES}/${name}`),
  );
}

/** Removes snapshots and images from all nodes, and the vector tables of snapshots that are no longer shared. */
export async function unshareCatalogue(
  cluster: Cluster,
  { snapshots, images }: { readonly snapshots: readonly string[]; readonly images: readonly string[] },
): Promise<void> {
  const shared = await Promise.all(snapshots.map((id) => sharedFiles(cluster, `${SNAPSHOTS}/${id}/`)));
  await unshareFiles(cluster, [...shared.flat().map(({ path }) => path), ...images.map((name) => `${IMAGES}/${name}`)]);
  const kept = (await sharedFiles(cluster, `${SNAPSHOTS}/`)).map(({ path }) => path.split('/')[1]!);
  await removeOtherVectorTables(cluster.pool, [...new Set(kept)]);
}
