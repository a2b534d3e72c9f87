import { readDocument } from '../../platform/cluster/documents.js';
import type { Place } from '../../platform/cluster/place.js';
import type { Creative } from '../schema/creative.js';
import { POINTER } from '../snapshot/layout.js';
import { publicationsIn, readPointer } from '../snapshot/pointer.js';
import { type KnownCreatives, readCreatives } from '../snapshot/read-creatives.js';
import type { Actor } from './actor.js';
import { type AuditEntry, recordAudit, recordFailure } from './audit-log.js';
import { campaignName } from './campaign-name.js';
import { changesBetween, type SubjectChange } from './changes-between.js';
import { isDamage } from '../snapshot/snapshot-fault.js';

/** A snapshot is made live in place of another one, or of none. */
export interface Publication {
  readonly by: Actor;
  readonly action: 'index' | 'rollback';
  /** Epoch milliseconds. */
  readonly now: number;
  readonly before: string | undefined;
  readonly after: string;
  /** Of snapshots that are at hand; others are read. */
  readonly known?: KnownCreatives;
}

/** More changed prices are told by their number alone. */
const MOST = 1000;

/**
 * Publishes, once the publication is recorded with every price and budget that it changes, from what to what. Where it then fails,
 * second entries say so, with the reason; not where it is live all the same, as with a fault behind the pointer's move.
 */
export async function publishAudited<R>(place: Place, publication: Publication, publish: () => Promise<R>): Promise<R> {
  const entries = await entriesOf(place.dataDir, publication);
  await recordAudit(place, entries);
  try {
    return await publish();
  } catch (error) {
    const isLive = (await liveNow(place).catch(() => null)) === publication.after;
    if (!isLive) await recordFailure(place, entries, error);
    throw error;
  }
}

async function liveNow({ dataDir, cluster }: Place): Promise<string | undefined> {
  if (!cluster) return (await readPointer(dataDir))[0];
  return publicationsIn((await readDocument(cluster, POINTER)) ?? '')[0]?.id;
}

/** Records a publication that has been made. */
export async function recordPublication(place: Place, publication: Publication): Promise<void> {
  await recordAudit(place, await entriesOf(place.dataDir, publication));
}

async function entriesOf(dataDir: string, publication: Publication): Promise<AuditEntry[]> {
  const { by, action, now, before, after, known } = publication;
  if (before === after) return [];
  const read = await Promise.all([before, after].map((id) => creativesOf(dataDir, id, known)));
  const [old, current] = read.map((each) => (each instanceof Error ? null : each));
  const unread = read.find((each) => each instanceof Error);
  const terms = old && current ? termChanges(old, current) : [];
  const fields = {
    live: { old: before ?? null, new: after },
    creatives: { old: old?.length ?? null, new: current?.length ?? null },
    changedTerms: { old: null, new: unread === undefined ? terms.length : null },
    ...(unread === undefined ? {} : { notKnown: { old: null, new: unread.message } }),
  };
  const changes: SubjectChange[] = [{ subject: { kind: 'snapshot', name: after }, fields }, ...terms.slice(0, MOST)];
  const at = new Date(now).toISOString();
  return changes.map((change) => ({ at, by, action, ...change }));
}

/**
 * A snapshot that is gone or damaged tells nothing, and must not keep another one from being published. Nor must one that cannot
 * be read just now: its fault is given, for the entry.
 */
async function creativesOf(
  dataDir: string,
  id: string | undefined,
  known: KnownCreatives | undefined,
): Promise<readonly Creative[] | Error> {
  if (id === undefined) return [];
  return known?.get(id) ?? readCreatives(dataDir, id).catch((error: Error) => (isDamage(error) ? [] : error));
}

/** Of campaigns, and creatives without one, that both snapshots have. */
function termChanges(before: readonly Creative[], after: readonly Creative[]): SubjectChange[] {
  const [old, current] = [before, after].map((creatives) => new Map(creatives.map((each) => [keyOf(each), each])));
  const both = [...current!.keys()].filter((key) => old!.has(key));
  return both.flatMap((key) => {
    const creative = current!.get(key)!;
    const { campaign, advertiser, id } = creative;
    const [kind, name] =
      campaign === null ? (['creative', id] as const) : (['campaign', campaignName(campaign, advertiser)] as const);
    const terms = { before: [termsOf(old!.get(key)!)], after: [termsOf(creative)] };
    return changesBetween({ kind, ...terms, nameOf: () => name });
  });
}

function keyOf({ campaign, advertiser, id }: Creative): string {
  return JSON.stringify(campaign === null ? [id] : [advertiser, campaign]);
}

function termsOf({ pricing, budgetMicros, dailyBudgetMicros }: Creative) {
  return { pricing, budgetMicros, dailyBudgetMicros };
}
