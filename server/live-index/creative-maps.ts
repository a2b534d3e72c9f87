import type { Creative } from '../../models/schema/creative.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { ShardedMap } from '../../platform/collections/sharded-map.js';
import { inBatches } from '../../platform/time/in-batches.js';

/**
 * A snapshot's creatives by id and by image, and one creative of each campaign: all rows of a campaign have the same
 * terms.
 */
export interface CreativeMaps {
  readonly ids: Pick<ShardedMap<Creative>, 'get' | 'has' | 'size'>;
  /**
   * By campaign name, made well-formed as in accounts: one creative for each advertiser with a campaign of that name.
   */
  readonly campaigns: ReadonlyMap<string, readonly Creative[]>;
  /** Returns the creatives that have an image, by its file name. */
  withImage(imageFile: string): readonly Creative[];
}

// Built once per snapshot for all callers, and garbage-collected with it.
const built = new WeakMap<ServedSnapshot, CreativeMaps>();

/**
 * Builds the maps of a snapshot's creatives before it goes live, in batches: doing it all at once would block the event
 * loop for long.
 */
export async function buildCreativeMaps(snapshot: ServedSnapshot): Promise<void> {
  const building = startBuilding();
  await inBatches(snapshot.creatives, building.add);
  built.set(snapshot, building.maps);
}

/** Returns the maps of a snapshot's creatives; builds them now if `buildCreativeMaps` has not. */
export function creativeMapsOf(snapshot: ServedSnapshot): CreativeMaps {
  const known = built.get(snapshot);
  if (known !== undefined) return known;
  const building = startBuilding();
  for (const creative of snapshot.creatives) building.add(creative);
  built.set(snapshot, building.maps);
  return building.maps;
}

function startBuilding() {
  const ids = new ShardedMap<Creative>();
  const campaigns = new Map<string, Creative[]>();
  const seen = new Set<string>();
  const images = startImages();
  const add = (creative: Creative): void => {
    const { id, advertiser, campaign, imageFile } = creative;
    ids.set(id, creative);
    if (imageFile !== null) images.add(creative, imageFile);
    // A creative without a campaign has an account of its own, which is found by its id.
    if (campaign === null) return;
    const key = JSON.stringify([advertiser, campaign]);
    if (seen.has(key)) return;
    seen.add(key);
    const name = campaign.toWellFormed();
    const others = campaigns.get(name);
    if (others === undefined) campaigns.set(name, [creative]);
    else others.push(creative);
  };
  return { add, maps: { ids, campaigns, withImage: images.creatives } satisfies CreativeMaps };
}

function startImages() {
  const first = new ShardedMap<Creative>();
  /** All creatives of each image that several have, so that the other images need no array. */
  const shared = new ShardedMap<Creative[]>();
  return {
    add(creative: Creative, imageFile: string): void {
      const one = first.get(imageFile);
      const all = shared.get(imageFile);
      if (one === undefined) first.set(imageFile, creative);
      else if (all === undefined) shared.set(imageFile, [one, creative]);
      else all.push(creative);
    },
    creatives(imageFile: string): readonly Creative[] {
      const one = first.get(imageFile);
      return shared.get(imageFile) ?? (one === undefined ? [] : [one]);
    },
  };
}
