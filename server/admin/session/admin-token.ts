import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getOrCreateDocument } from '../../../platform/cluster/documents.js';
import type { DataLocation } from '../../../platform/cluster/data-location.js';
import { createDurably } from '../../../platform/files/durable.js';

const FILE = 'admin-token';

/** The administration token, and whether it was just created and must be shown once. */
export interface AdminToken {
  readonly token: string;
  readonly made: boolean;
}

/**
 * Returns the token of the setting, else the one in `DATA_DIR/admin-token` (mode 0600), which nodes share, else a new
 * one that is stored there.
 *
 * @throws Error when the file holds no usable token
 */
export async function adminToken({ dataDir, cluster }: DataLocation, setting: string | null): Promise<AdminToken> {
  if (setting !== null) return { token: setting, made: false };
  const token = randomBytes(24).toString('base64url');
  if (cluster) {
    const { text, made } = await getOrCreateDocument(cluster, FILE, () => `${token}\n`);
    return { token: text.trim(), made };
  }
  const file = join(dataDir, FILE);
  if (await createDurably(file, `${token}\n`, 0o600)) return { token, made: true };
  const kept = (await readFile(file, 'utf8')).trim();
  if (kept.length < 16) throw new Error(`${file} holds no token; delete it and a new one is made`);
  return { token: kept, made: false };
}
