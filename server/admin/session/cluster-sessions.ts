import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { inTransaction } from '../../../platform/cluster/transaction.js';
import type { Notice, PageSession } from '../rendering/show.js';
import { IDLE_MS, MAX_AGE_MS, MAX_SESSIONS, randomText, type Sessions } from './sessions.js';

interface Row {
  readonly form_token: string;
  readonly notice: Buffer | null;
}

/**
 * Sessions in the database, so that any node answers the next page. Who reads the table is not signed in by it, nor reads what
 * the next page is to show, a new key among it: both need the id, which the cookie alone has.
 *
 * @param adminToken sessions that another token opened are over
 */
export function clusterSessions({ pool }: Pick<Cluster, 'pool'>, adminToken: string): Sessions {
  const digestOf = (id: string): string => createHmac('sha256', adminToken).update(id).digest('hex');
  /** What was told when the session was found. */
  const told = new WeakMap<PageSession, readonly Notice[]>();
  return {
    async begin() {
      const id = randomText();
      await pool.query(
        `delete from admin_sessions where used_at < now() - $1 * interval '1 ms' or started_at < now() - $2 * interval '1 ms'
           or digest in (select digest from admin_sessions order by started_at desc offset $3)`,
        [IDLE_MS, MAX_AGE_MS, MAX_SESSIONS - 1],
      );
      await pool.query('insert into admin_sessions (digest, form_token) values ($1, $2)', [digestOf(id), randomText()]);
      return id;
    },
    async find(id) {
      if (id === undefined) return undefined;
      const digest = digestOf(id);
      const { rows } = await pool.query<Row>(
        `update admin_sessions set used_at = now() where digest = $1
           and used_at > now() - $2 * interval '1 ms' and started_at > now() - $3 * interval '1 ms'
         returning form_token, notice`,
        [digest, IDLE_MS, MAX_AGE_MS],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      const notices = row.notice === null ? [] : unseal(id, row.notice);
      const session = { id: digest.slice(0, 8), formToken: row.form_token, notices };
      told.set(session, notices);
      return session;
    },
    async keep(id, session) {
      const before = told.get(session) ?? [];
      if (id === undefined || before === session.notices) return;
      const added = session.notices.filter((notice) => !before.includes(notice));
      const gone = before.filter((notice) => !session.notices.includes(notice));
      const said = new Set(gone.map((notice) => JSON.stringify(notice)));
      await inTransaction(pool, async (transaction) => {
        const { rows } = await transaction.query<Pick<Row, 'notice'>>(
          'select notice from admin_sessions where digest = $1 for update',
          [digestOf(id)],
        );
        // Another request may have told something since this one looked: of a form that was sent twice, both keys stay.
        const sealed = rows[0]?.notice ?? null;
        const kept = sealed === null ? [] : unseal(id, sealed);
        const notices = [...kept.filter((notice) => !said.has(JSON.stringify(notice))), ...added];
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
  // One alone is what releases before 2026-11-28 kept.
  return [JSON.parse(text.toString('utf8')) as Notice | readonly Notice[]].flat();
}

function keyOf(id: string): Buffer {
  return createHash('sha256').update(`adjacent notice ${id}`).digest();
}
