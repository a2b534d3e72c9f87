import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { inTransaction } from '../../../platform/cluster/transaction.js';
import type { Notice, PageSession } from '../rendering/show.js';
import { IDLE_MS, MAX_AGE_MS, MAX_SESSIONS, randomText, type Sessions } from './sessions.js';

interface Row {
  readonly token_id: string;
  readonly form_token: string;
  readonly notice: Buffer | null;
}

/**
 * Keeps sessions in the database, so that any node can serve the next page. Reading the table gives neither access to a
 * session nor its notices, which may contain a new key: both need the id, which only the cookie has.
 *
 * @param adminToken sessions that were opened with another token are over
 */
export function clusterSessions({ pool }: Pick<Cluster, 'pool'>, adminToken: string): Sessions {
  // Releases without access tokens, to which every session is an administrator's, used the id alone.
  const digestOf = (id: string): string => createHmac('sha256', adminToken).update(`session ${id}`).digest('hex');
  /** The notices of each session as it was found. */
  const found = new WeakMap<PageSession, readonly Notice[]>();
  return {
    async create(tokenId) {
      const id = randomText();
      await pool.query(
        `delete from admin_sessions where used_at < now() - $1 * interval '1 ms' or started_at < now() - $2 * interval '1 ms'
           or digest in (select digest from admin_sessions where token_id = $4 order by started_at desc offset $3)`,
        [IDLE_MS, MAX_AGE_MS, MAX_SESSIONS - 1, tokenId],
      );
      await pool.query('insert into admin_sessions (digest, form_token, token_id) values ($1, $2, $3)', [
        digestOf(id),
        randomText(),
        tokenId,
      ]);
      return id;
    },
    async find(id) {
      if (id === undefined) return undefined;
      const digest = digestOf(id);
      const { rows } = await pool.query<Row>(
        `update admin_sessions set used_at = now() where digest = $1
           and used_at > now() - $2 * interval '1 ms' and started_at > now() - $3 * interval '1 ms'
         returning token_id, form_token, notice`,
        [digest, IDLE_MS, MAX_AGE_MS],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      const notices = row.notice === null ? [] : unseal(id, row.notice);
      const session = { id: digest.slice(0, 8), tokenId: row.token_id, formToken: row.form_token, notices };
      found.set(session, notices);
      return session;
    },
    async saveNotices(id, session) {
      const before = found.get(session) ?? [];
      if (id === undefined || before === session.notices) return;
      const added = session.notices.filter((notice) => !before.includes(notice));
      const gone = before.filter((notice) => !session.notices.includes(notice));
      const shown = new Set(gone.map((notice) => JSON.stringify(notice)));
      await inTransaction(pool, async (transaction) => {
        const { rows } = await transaction.query<Pick<Row, 'notice'>>(
          'select notice from admin_sessions where digest = $1 for update',
          [digestOf(id)],
        );
        // Another request may have added a notice meanwhile: both keys of a form that was sent twice are kept.
        const sealed = rows[0]?.notice ?? null;
        const kept = sealed === null ? [] : unseal(id, sealed);
        const notices = [...kept.filter((notice) => !shown.has(JSON.stringify(notice))), ...added];
        await transaction.query('update admin_sessions set notice = $2 where digest = $1', [
          digestOf(id),
          notices.length === 0 ? null : seal(id, notices),
        ]);
      });
    },
    async end(id) {
      if (id !== undefined) await pool.query('delete from admin_sessions where digest = $1', [digestOf(id)]);
    },
  };
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function seal(id: string, notices: readonly Notice[]): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(id), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(notices)), cipher.final()]);
  return Buffer.concat([iv, sealed, cipher.getAuthTag()]);
}

function unseal(id: string, bytes: Buffer): readonly Notice[] {
  const decipher = createDecipheriv(CIPHER, keyOf(id), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  // Releases before 2026-11-28 kept a single notice.
  return [JSON.parse(text.toString('utf8')) as Notice | readonly Notice[]].flat();
}

function keyOf(id: string): Buffer {
  return createHash('sha256').update(`adjacent notice ${id}`).digest();
}
