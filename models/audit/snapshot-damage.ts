import { SnapshotFaultError } from '../snapshot/snapshot-fault.js';

/**
 * Whether a snapshot is damaged or gone, so that it names nothing; not that it cannot be read just now, as where no file
 * descriptor is left or the disk fails.
 */
export function isDamage(error: unknown): boolean {
  return error instanceof SnapshotFaultError && !error.reason.startsWith('cannot be read (');
}
