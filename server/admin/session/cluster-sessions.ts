import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Cluster } from '../../../models/cluster/cluster.js';
import type { Notice, PageSession } from '../view/show.js';
import { digestOf, IDLE_MS, MAX_AGE_MS, MAX_SESSIONS, randomText, type Sessions } from './sessions.js';

interface Row {
  readonly form_token: string;
  readonly notice: Buffer | null;
}

/**
 * Sessions in the database, so that any node answers the next page. Who reads the table is not signed in by it, nor reads what
 * the next page is to show, a new key among it: both need the id, which the cookie alone has.
 */
export function clusterSessions({ pool }: Pick<Cluster, 'pool'>): Sessions {
  /** What was told when the session was found. */
  const told = new WeakMap<PageSession, Notice | null>();
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
      const notice = row.notice === null ? null : unseal(id, row.notice);
      const session = { id: digest.slice(0, 8), formToken: row.form_token, notice };
      told.set(session, notice);
      return session;
    },
    async keep(id, session) {
      if (id === undefined || told.get(session) === session.notice) return;
      const notice = session.notice === null ? null : seal(id, session.notice);
      await pool.query('update admin_sessions set notice = $2 where digest = $1', [digestOf(id), notice]);
    },
    async end(id) {
      if (id !== undefined) await pool.query('delete from admin_sessions where digest = $1', [digestOf(id)]);
    },
  };
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function seal(id: string, notice: Notice): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(id), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(notice)), cipher.final()]);
  return Buffer.concat([iv, sealed, cipher.getAuthTag()]);
}

function unseal(id: string, bytes: Buffer): Notice {
  const decipher = createDecipheriv(CIPHER, keyOf(id), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as Notice;
}

function keyOf(id: string): Buffer {
  return createHash('sha256').update(`adjacent notice ${id}`).digest();
}
