/** A snapshot that cannot be used, with the faulty field and the reason. The caller keeps the snapshot that it has. */
export class SnapshotFaultError extends Error {
  /**
   * @param snapshot id or directory name
   * @param field dotted name in the manifest, or a file name
   */
  constructor(
    readonly snapshot: string,
    readonly field: string,
    readonly reason: string,
  ) {
    super(`snapshot ${snapshot}: ${field} ${reason}`);
    this.name = 'SnapshotFaultError';
  }
}

/** A snapshot file exists but cannot be read at the moment, because no file descriptor is left or the disk fails. */
export class SnapshotUnreadableError extends SnapshotFaultError {}

/** Converts a failure to read a snapshot's file. @param error the file system's error */
export function readFault(snapshot: string, file: string, error: unknown): SnapshotFaultError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new SnapshotFaultError(snapshot, file, 'is missing');
  return new SnapshotUnreadableError(snapshot, file, `cannot be read (${code})`);
}

/**
 * Returns whether a snapshot is damaged or missing, so that its creatives are unknown. False if it only cannot be read
 * at the moment.
 */
export function isDamage(error: unknown): boolean {
  return error instanceof SnapshotFaultError && !(error instanceof SnapshotUnreadableError);
}
