import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The secret that opens administration, and whether it was made just now and so must be shown once. */
export interface AdminToken {
  readonly token: string;
  readonly made: boolean;
}

/**
 * The token of the setting, else the one kept in `DATA_DIR/admin-token` (mode 0600), else a new one put there.
 *
 * @throws Error when the file holds nothing usable
 */
export async function adminToken(dataDir: string, setting: string | null): Promise<AdminToken> {
  if (setting !== null) return { token: setting, made: false };
  const file = join(dataDir, 'admin-token');
  const token = randomBytes(24).toString('base64url');
  try {
    await writeFile(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return { token, made: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const kept = (await readFile(file, 'utf8')).trim();
  if (kept.length < 16) throw new Error(`${file} holds no token; delete it and a new one is made`);
  return { token: kept, made: false };
}
