import { drawTable } from '../../../platform/command-line/draw-table.js';
import type { AccessFile } from '../../access/access-file.js';
import { keyState } from '../../keys/key-file.js';

/** Formats access tokens for a person (a table) or a program (one JSON object), without digests. */
export function listAccess({ tokens }: AccessFile, now: number, json: boolean): string {
  const rows = tokens.map((token) => ({
    ...token,
    sha256: undefined,
    state: keyState({ ...token, deactivatedAt: null }, now),
  }));
  if (json) return JSON.stringify({ tokens: rows }, null, 2);
  if (rows.length === 0) return 'no access tokens; npm run access -- create --name NAME makes one';
  const head = ['name', 'role', 'of', 'state', 'created', 'expires', 'last used'];
  return drawTable(
    { head, compact: false },
    rows.map(({ name, role, party, state, createdAt, expiresAt, lastUsedAt }) => [
      name,
      role,
      party ?? '',
      state,
      createdAt.slice(0, 16),
      expiresAt?.slice(0, 16) ?? 'never',
      lastUsedAt?.slice(0, 16) ?? 'never',
    ]),
  );
}
