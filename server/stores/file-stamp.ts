import { stat } from 'node:fs/promises';

/** The stamp of a file that does not exist. */
export const ABSENT = 'absent';

/** Returns a text that changes whenever the file is replaced or edited in place. @throws Error of the file system */
export async function fileStamp(path: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs}:${ctimeNs}:${size}:${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ABSENT;
    throw error;
  }
}
