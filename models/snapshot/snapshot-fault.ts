/** A snapshot is not what it should be: which field of it, and how. The caller keeps what it has. */
export class SnapshotFaultError extends Error {
  /**
   * @param snapshot id, or directory name
   * @param field dotted name in the manifest, or a file's name
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

/** A file of a snapshot is there and cannot be read just now, as where no file descriptor is left or the disk fails. */
export class SnapshotUnreadableError extends SnapshotFaultError {}

/** What it means that a file of a snapshot could not be read. @param error the file system's */
export function readFault(snapshot: string, file: string, error: unknown): SnapshotFaultError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new SnapshotFaultError(snapshot, file, 'is missing');
  return new SnapshotUnreadableError(snapshot, file, `cannot be read (${code})`);
}

/** Whether a snapshot is damaged or gone, so that it names nothing; not that it cannot be read just now. */
export function isDamage(error: unknown): boolean {
  return error instanceof SnapshotFaultError && !(error instanceof SnapshotUnreadableError);
}
