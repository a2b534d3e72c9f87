import { readdir } from 'node:fs/promises';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { shareFiles, sharedFiles, unshareFiles } from '../../platform/cluster/files.js';
import { keepVectorTables } from '../pgvector/vector-table.js';
import { IMAGES, snapshotDirectory, SNAPSHOTS } from './layout.js';

/** Shares a snapshot of this node's DATA_DIR, every byte of it: only then may the pointer name it. */
export async function shareSnapshot(cluster: Cluster, id: string): Promise<void> {
  const names = await readdir(snapshotDirectory(cluster.dataDir, id));
  await shareFiles(
    cluster,
    names.map((name) => `${SNAPSHOTS}/${id}/${name}`),
  );
}

/** Shares stored images, by their names. */
export async function shareImages(cluster: Cluster, names: Iterable<string>): Promise<void> {
  await shareFiles(
    cluster,
    Array.from(names, (name) => `${IMAGES}/${name}`),
  );
}

/** Takes snapshots and images from all nodes, and the tables that the vectors of what is shared no more are searched in. */
export async function unshareCatalogue(
  cluster: Cluster,
  { snapshots, images }: { readonly snapshots: readonly string[]; readonly images: readonly string[] },
): Promise<void> {
  const shared = await Promise.all(snapshots.map((id) => sharedFiles(cluster, `${SNAPSHOTS}/${id}/`)));
  await unshareFiles(cluster, [...shared.flat().map(({ path }) => path), ...images.map((name) => `${IMAGES}/${name}`)]);
  const kept = (await sharedFiles(cluster, `${SNAPSHOTS}/`)).map(({ path }) => path.split('/')[1]!);
  await keepVectorTables(cluster.pool, [...new Set(kept)]);
}
