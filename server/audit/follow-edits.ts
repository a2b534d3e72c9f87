import { hostname } from 'node:os';
import { recordAudit } from '../../models/audit/audit-log.js';
import type { SubjectChange } from '../../models/audit/changes-between.js';
import { auditAfter, auditLength } from '../../models/audit/read-audit.js';
import { followStore } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { contentDigest } from './content-digest.js';

export interface FollowEditsOptions<T> {
  readonly dataDir: string;
  readonly store: Pick<SharedStore<T>, 'path' | 'stamp' | 'read'>;
  /** Lists the differences between two contents. */
  readonly describe: (before: T, after: T) => readonly SubjectChange[];
  /** What the audit log covers, as for `changeAudited`; absent: all of the content. */
  readonly auditedPart?: (data: T) => unknown;
  /**
   * Logged when the file is gone or cannot be read, which then does not keep the process from starting; absent: the
   * store's own follower does that.
   */
  readonly fault?: string;
  readonly log: { error(details: object, message: string): void };
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly pollMs?: number;
}

const POLL_MS = 1000;

/**
 * Records edits of a store's file by hand while this process runs: every content that no audit entry has announced.
 * Edits between two polls count as one change. A file that is damaged at the start is followed from its repair on.
 *
 * @throws DamagedStoreError when the file is damaged at the start, and no `fault` is given
 */
export async function followEdits<T>(options: FollowEditsOptions<T>): Promise<{ close(): Promise<void> }> {
  const { dataDir, store, describe, auditedPart = (data) => data, fault, log, clock, pollMs = POLL_MS } = options;
  /** All entries before this byte of the log have been read. */
  let seen = await auditLength(dataDir);
  let last: Promise<void> = Promise.resolve();

  const look = async (before: T, after: T): Promise<void> => {
    const content = contentDigest(auditedPart(after));
    for await (const { entry, end } of auditAfter(dataDir, seen)) {
      seen = end;
      if (entry.content === content && entry.by.via !== 'file') return;
    }
    const [at, by] = [new Date(clock()).toISOString(), { via: 'file', host: hostname() } as const];
    const changes = describe(before, after);
    await recordAudit(
      { dataDir },
      changes.map((change) => ({ at, by, action: 'edit', content, ...change })),
    );
  };
  /** Null: the file has been damaged since the start. */
  let current: T | null;
  const onChange = (after: T | null): void => {
    const before = current;
    current = after;
    if (before === null || after === null) return;
    last = last
      .then(() => look(before, after))
      .catch((error: unknown) => log.error({ err: error, file: store.path }, 'an edit could not be recorded'));
  };
  const faults = {
    info: () => undefined,
    error: (details: object) => (fault === undefined ? undefined : log.error({ file: store.path, ...details }, fault)),
  };
  const fallback = fault === undefined ? undefined : null;
  const followed = await followStore<T | null>({ store, onChange, fallback, log: faults, name: 'edits', pollMs });
  current = followed.current;
  return {
    async close() {
      await followed.close();
      await last;
    },
  };
}
