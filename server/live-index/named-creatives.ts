import type { Creative } from '../../models/schema/creative.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { inTurns } from '../../platform/time/in-turns.js';

/** A snapshot's creatives by id, and one of each campaign, whose terms are those of all its rows. */
export interface NamedCreatives {
  readonly ids: ReadonlyMap<string, Creative>;
  /** By the campaign's name, well-formed as accounts are: one for each advertiser that has one of it. */
  readonly campaigns: ReadonlyMap<string, readonly Creative[]>;
}

// Made once a snapshot for all who ask, and gone with it.
const named = new WeakMap<ServedSnapshot, NamedCreatives>();

/** Names a snapshot's creatives before it goes live, in turns: all at once would keep the event loop from events for long. */
export async function nameCreatives(snapshot: ServedSnapshot): Promise<void> {
  const naming = startNaming();
  await inTurns(snapshot.creatives, naming.add);
  named.set(snapshot, naming.names);
}

/** The names of a snapshot's creatives; where it did not go live they are made now. */
export function namedCreatives(snapshot: ServedSnapshot): NamedCreatives {
  const known = named.get(snapshot);
  if (known !== undefined) return known;
  const naming = startNaming();
  for (const creative of snapshot.creatives) naming.add(creative);
  named.set(snapshot, naming.names);
  return naming.names;
}

function startNaming() {
  const ids = new Map<string, Creative>();
  const campaigns = new Map<string, Creative[]>();
  const seen = new Set<string>();
  const add = (creative: Creative): void => {
    const { id, advertiser, campaign } = creative;
    ids.set(id, creative);
    // One without a campaign has an account of its own, which is found by its id.
    if (campaign === null) return;
    const key = JSON.stringify([advertiser, campaign]);
    if (seen.has(key)) return;
    seen.add(key);
    const name = campaign.toWellFormed();
    const others = campaigns.get(name);
    if (others === undefined) campaigns.set(name, [creative]);
    else others.push(creative);
  };
  return { add, names: { ids, campaigns } satisfies NamedCreatives };
}
