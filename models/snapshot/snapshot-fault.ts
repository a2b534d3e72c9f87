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
