import { actorText } from '../../../models/audit/actor.js';
import type { Router } from '@koa/router';
import { recordPublication } from '../../../models/audit/publication.js';
import { lockCatalogue } from '../../../models/snapshot/catalogue-lock.js';
import { readHistory } from '../../../models/snapshot/history.js';
import { SnapshotFaultError } from '../../../models/snapshot/snapshot-fault.js';
import { type KeptSnapshot, listSnapshots } from '../../../models/snapshot/kept-snapshots.js';
import { NoSuchSnapshotError, rollback } from '../../../models/snapshot/publish.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import type { AuditedAction } from '../../audit/change-audited.js';
import { auditedIn } from './audited-in.js';
import { addNotice } from '../rendering/show.js';
import { seeOther } from '../rendering/see-other.js';
import type { PageOptions } from './page-options.js';
import type { AdminState } from '../session/require-session.js';

/** How many periods of the history are shown. */
const PERIODS = 50;

/** `GET /admin/snapshots`: the kept snapshots, the live one and the history; `POST` makes another snapshot live. */
export function snapshots(router: Router<AdminState>, options: PageOptions): void {
  const { show, path, index, log, config } = options;
  router.get('/snapshots', async (ctx) => {
    const kept = await listSnapshots(config.dataDir);
    show(ctx, 'snapshots', {
      title: 'Snapshots',
      navEntry: 'snapshots',
      kept: kept.map(toRow),
      state: index.state(),
      history: await readHistory(config.dataDir, PERIODS),
    });
  });
  router.post('/snapshots/rollback', async (ctx) => {
    const id = ctx.state.form.get('id') ?? '';
    try {
      await rollBack(options, id, auditedIn(ctx, options, 'rollback'));
      log.info({ snapshot: id }, 'a snapshot was made live in the dashboard');
      addNotice(ctx.state.session, { kind: 'done', text: `${id} is published; the server takes it up at once.` });
    } catch (error) {
      if (!REFUSALS.some((refusal) => error instanceof refusal)) throw error;
      addNotice(ctx.state.session, { kind: 'failed', text: `Nothing was changed: ${(error as Error).message}.` });
    }
    seeOther(ctx, `${path}/snapshots`);
  });
}

class IndexingError extends Error {}

/** The snapshot could not be checked, for example because the encoder failed. */
class UncheckedError extends Error {}

/** Errors that the page explains, thrown before anything has changed. */
const REFUSALS = [NoSuchSnapshotError, SnapshotFaultError, IndexingError, UncheckedError];

/**
 * Rolls back to a snapshot that the live index has loaded and checked, and takes over. Refuses while an indexer runs,
 * instead of keeping the operator waiting.
 */
async function rollBack(
  { config, cluster, encoder, index, log }: PageOptions,
  id: string,
  { by, now }: AuditedAction,
): Promise<void> {
  const { dataDir } = config;
  const refuse = (): never => {
    throw new IndexingError('a feed is being indexed just now; try again when it is done');
  };
  const lock = await lockCatalogue(dataDir, refuse, cluster);
  try {
    const [before] = await readPointer(dataDir);
    const live = index.current();
    const known = new Map(live === null ? [] : [[live.id, live.creatives]]);
    const after = await rollback(dataDir, encoder, id, {
      by: actorText(by),
      cluster,
      async verify(target) {
        known.set(target, await index.prepare(target).catch(refuseUnchecked));
        lock.assertHeld();
      },
      onHistoryFault: (error) => log.error({ err: error }, 'a rollback was not recorded in the history of snapshots'),
    });
    await recordPublication({ dataDir, cluster }, { by, action: 'rollback', now, before, after, known });
  } finally {
    index.forgetPrepared();
    await lock.release();
  }
}

function refuseUnchecked(error: unknown): never {
  if (error instanceof SnapshotFaultError) throw error;
  throw new UncheckedError(`the snapshot could not be checked (${(error as Error).message})`, { cause: error });
}

function toRow({ id, live, publishedAt, manifest }: KeptSnapshot) {
  if (manifest instanceof SnapshotFaultError) return { id, live, damage: `${manifest.field} ${manifest.reason}` };
  const { name, builtAt, counts, encoder, files, sources } = manifest;
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return {
    id,
    live,
    damage: null,
    name,
    builtAt,
    publishedAt,
    creatives: counts.creatives,
    sources: Object.entries(sources ?? {}),
    encoder: encoder.name,
    bytes,
  };
}
