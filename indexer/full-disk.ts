import { SnapshotFaultError } from '../models/snapshot/fault.js';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Says what a full disk means for the catalogue; any other error is given back as it is. */
export function explainFullDisk(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const kept = 'Nothing was published; what is live stays as it is.';
  if (code !== undefined && FULL.has(code)) {
    return new Error(`The disk is full (${message}). ${kept} Make room and run the same command again.`, {
      cause: error,
    });
  }
  // The graph library does not notice that a write failed; reading the file back does.
  if (error instanceof SnapshotFaultError) {
    return new Error(`What was written cannot be read back (${message}); is the disk full? ${kept}`, { cause: error });
  }
  return error;
}
