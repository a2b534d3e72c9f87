import { readDocument } from '../../platform/cluster/documents.js';
import type { DataLocation } from '../../platform/cluster/data-location.js';
import { inBatches } from '../../platform/time/in-batches.js';
import type { Creative } from '../schema/creative.js';
import { POINTER } from '../snapshot/layout.js';
import { publicationsIn, readPointer } from '../snapshot/pointer.js';
import { type KnownCreatives, readCreatives } from '../snapshot/read-creatives.js';
import type { Actor } from './actor.js';
import { type AuditEntry, recordAudit, recordFailure } from './audit-log.js';
import { campaignName } from './campaign-name.js';
import { changesBetween, type SubjectChange } from './changes-between.js';
import { isDamage } from '../snapshot/snapshot-fault.js';

/** A snapshot going live in place of another one, or of none. */
export interface Publication {
  readonly by: Actor;
  readonly action: 'index' | 'rollback';
  /** Epoch milliseconds. */
  readonly now: number;
  readonly before: string | undefined;
  readonly after: string;
  /** Creatives of snapshots that the caller has in memory; those of other snapshots are read. */
  readonly known?: KnownCreatives;
}

/** Max changed terms that get entries of their own; the entry of the snapshot has the number of all. */
const MAX_CHANGED_TERMS = 1000;

/**
 * Records a publication with every price and budget that it changes, then publishes. If that fails, records the entries
 * again with the reason, unless the snapshot is live nevertheless, because a later step failed after the pointer had
 * moved.
 */
export async function publishAudited<R>(
  location: DataLocation,
  publication: Publication,
  publish: () => Promise<R>,
): Promise<R> {
  const entries = await entriesOf(location.dataDir, publication);
  await recordAudit(location, entries);
  try {
    return await publish();
  } catch (error) {
    const isLive = (await liveNow(location).catch(() => null)) === publication.after;
    if (!isLive) await recordFailure(location, entries, error);
    throw error;
  }
}

async function liveNow({ dataDir, cluster }: DataLocation): Promise<string | undefined> {
  if (!cluster) return (await readPointer(dataDir))[0];
  return publicationsIn((await readDocument(cluster, POINTER)) ?? '')[0]?.id;
}

/** Records a publication that has been made. */
export async function recordPublication(location: DataLocation, publication: Publication): Promise<void> {
  await recordAudit(location, await entriesOf(location.dataDir, publication));
}

async function entriesOf(dataDir: string, publication: Publication): Promise<AuditEntry[]> {
  const { by, action, now, before, after, known } = publication;
  if (before === after) return [];
  const read = await Promise.all([before, after].map((id) => creativesOf(dataDir, id, known)));
  const [old, current] = read.map((each) => (each instanceof Error ? null : each));
  const unread = read.find((each) => each instanceof Error);
  const terms = old && current ? await termChanges(old, current) : [];
  const fields = {
    live: { old: before ?? null, new: after },
    creatives: { old: old?.length ?? null, new: current?.length ?? null },
    changedTerms: { old: null, new: unread === undefined ? terms.length : null },
    ...(unread === undefined ? {} : { notKnown: { old: null, new: unread.message } }),
  };
  const snapshot: SubjectChange = { subject: { kind: 'snapshot', name: after }, fields };
  const at = new Date(now).toISOString();
  return [snapshot, ...terms.slice(0, MAX_CHANGED_TERMS)].map((change) => ({ at, by, action, ...change }));
}

/**
 * Returns a snapshot's creatives: none if it is gone or damaged, and the error, for the entry, if it cannot be read
 * just now. Neither must keep another snapshot from being published.
 */
async function creativesOf(
  dataDir: string,
  id: string | undefined,
  known: KnownCreatives | undefined,
): Promise<readonly Creative[] | Error> {
  if (id === undefined) return [];
  return known?.get(id) ?? readCreatives(dataDir, id).catch((error: Error) => (isDamage(error) ? [] : error));
}

/**
 * Returns the changed terms of the campaigns, and of the creatives without a campaign, that both snapshots have. In
 * turns: a rollback from the dashboard runs in the server.
 */
async function termChanges(before: readonly Creative[], after: readonly Creative[]): Promise<SubjectChange[]> {
  const [old, current] = [await byAccount(before), await byAccount(after)];
  const changes: SubjectChange[] = [];
  await inBatches(current, ([key, creative]) => {
    const earlier = old.get(key);
    if (earlier === undefined || haveSameTerms(earlier, creative)) return;
    const { campaign, advertiser, id } = creative;
    const [kind, name] =
      campaign === null ? (['creative', id] as const) : (['campaign', campaignName(campaign, advertiser)] as const);
    const terms = { before: [termsOf(earlier)], after: [termsOf(creative)] };
    changes.push(...changesBetween({ kind, ...terms, nameOf: () => name }));
  });
  return changes;
}

/** Maps each account to its last creative. The creatives of a campaign all have the same terms. */
async function byAccount(creatives: readonly Creative[]): Promise<ReadonlyMap<string, Creative>> {
  const accounts = new Map<string, Creative>();
  await inBatches(creatives, (creative) => {
    const { campaign, advertiser, id } = creative;
    accounts.set(JSON.stringify(campaign === null ? [id] : [advertiser, campaign]), creative);
  });
  return accounts;
}

/** Compares terms at a fraction of the cost of `changesBetween`: most do not change. */
function haveSameTerms(one: Creative, other: Creative): boolean {
  return (
    one.pricing?.model === other.pricing?.model &&
    one.pricing?.micros === other.pricing?.micros &&
    one.budgetMicros === other.budgetMicros &&
    one.dailyBudgetMicros === other.dailyBudgetMicros
  );
}

function termsOf({ pricing, budgetMicros, dailyBudgetMicros }: Creative) {
  return { pricing, budgetMicros, dailyBudgetMicros };
}
