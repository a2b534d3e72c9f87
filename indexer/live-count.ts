import { SnapshotFaultError } from '../models/snapshot/fault.js';
import { listSnapshots } from '../models/snapshot/kept-snapshots.js';

/** How many creatives are live; 0 when none are, or the manifest cannot be read. */
export async function liveCount(dataDir: string): Promise<number> {
  const live = (await listSnapshots(dataDir)).find((kept) => kept.live);
  return live === undefined || live.manifest instanceof SnapshotFaultError ? 0 : live.manifest.counts.creatives;
}
