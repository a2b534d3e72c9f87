import { readDocument } from '../cluster/documents.js';
import type { Place } from '../cluster/place.js';
import type { Creative } from '../schema/creative.js';
import { POINTER } from '../snapshot/layout.js';
import { publicationsIn, readPointer } from '../snapshot/pointer.js';
import { type KnownCreatives, readCreatives } from '../snapshot/read-creatives.js';
import type { Actor } from './actor.js';
import { type AuditEntry, recordAudit, recordFailure } from './audit-log.js';
import { campaignName } from './campaign-name.js';
import { changesBetween, type SubjectChange } from './changes-between.js';

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
  const [old, current] = await Promise.all([before, after].map((id) => creativesOf(dataDir, id, known)));
  const terms = termChanges(old!, current!);
  const fields = {
    live: { old: before ?? null, new: after },
    creatives: { old: old!.length, new: current!.length },
    changedTerms: { old: null, new: terms.length },
  };
  const changes: SubjectChange[] = [{ subject: { kind: 'snapshot', name: after }, fields }, ...terms.slice(0, MOST)];
  const at = new Date(now).toISOString();
  return changes.map((change) => ({ at, by, action, ...change }));
}

/** A snapshot that is gone or damaged tells nothing, and must not keep another one from being published. */
async function creativesOf(
  dataDir: string,
  id: string | undefined,
  known: KnownCreatives | undefined,
): Promise<readonly Creative[]> {
  return id === undefined ? [] : (known?.get(id) ?? readCreatives(dataDir, id).catch(() => []));
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
