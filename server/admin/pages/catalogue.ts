import type { Creative } from '../../../models/schema/creative.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import type { LiveIndex } from '../../live-index/live-index.js';

/** The live catalogue by id; what has left it is known to reports by its id alone. */
export interface Catalogue {
  all(): readonly Creative[];
  find(id: string): Creative | undefined;
}

export function createCatalogue(index: Pick<LiveIndex, 'current'>): Catalogue {
  // Made once a snapshot, and gone with it.
  const byId = new WeakMap<LoadedSnapshot, ReadonlyMap<string, Creative>>();
  return {
    all: () => index.current()?.creatives ?? [],
    find(id) {
      const snapshot = index.current();
      if (snapshot === null) return undefined;
      const known = byId.get(snapshot) ?? new Map(snapshot.creatives.map((creative) => [creative.id, creative]));
      byId.set(snapshot, known);
      return known.get(id);
    },
  };
}
