import type { Creative } from '../models/schema/creative.js';
import { DEFAULT_SOURCE, sourceOf } from '../models/schema/source.js';
import { type KeptSnapshot, listSnapshots } from '../models/snapshot/kept-snapshots.js';
import type { StoredCatalogue } from '../models/snapshot/load-snapshot.js';
import { readPointer } from '../models/snapshot/pointer.js';
import { SnapshotFaultError } from '../models/snapshot/snapshot-fault.js';
import { DETECTION_VERSION } from '../models/text/language.js';
import { redetectLanguages } from './feed/detect-creative-language.js';
import { IMAGE_RULES_VERSION } from './feed/image-rules.js';
import { FeedRefusedError, type LiveRows } from './accept-feed.js';
import { loadKept, type OnFault } from './stored-vectors.js';

/**
 * The live catalogue before a run: the rows of its source, which it replaces, and those of other sources, which stay.
 */
export interface LiveCatalogue extends LiveRows {
  /** The live snapshot's id; null: nothing is live. */
  readonly id: string | null;
  /** Null: nothing is live, or the live snapshot cannot be read. */
  readonly catalogue: StoredCatalogue | null;
}

export interface ReadLiveOptions {
  readonly source: string;
  /** Publish this source alone if the others cannot be read. */
  readonly allowShrink: boolean;
  readonly onFault: OnFault;
}

/**
 * Reads the live snapshot, from which a run takes over the rows of other sources.
 *
 * @throws FeedRefusedError if it cannot be read and has, or may have, rows of other sources, which would be lost
 */
export async function readLiveCatalogue(
  dataDir: string,
  { source, allowShrink, onFault }: ReadLiveOptions,
): Promise<LiveCatalogue> {
  // Read once: another node may publish meanwhile, and id and rows must be of the same snapshot.
  const [liveId] = await readPointer(dataDir);
  if (liveId === undefined) return { ...NOTHING, id: null };
  const kept = await listSnapshots(dataDir);
  const live = kept.find(({ id }) => id === liveId);
  // Its directory may be missing, for example after an incomplete restore.
  const catalogue = live === undefined ? null : await loadKept(dataDir, live, onFault);
  if (catalogue === null) {
    const known = live === undefined ? null : sourcesIn(live);
    const perhaps = known ?? kept.flatMap((each) => sourcesIn(each) ?? []);
    const others = [...new Set(perhaps)].filter((name) => name !== source);
    // Without its manifest it may have had other sources: manifests of other kept snapshots may be older.
    const mayLose = known === null || others.length > 0;
    if (mayLose && !allowShrink) throw new FeedRefusedError(unreadable(others, known !== null));
    return { ...NOTHING, id: liveId };
  }
  const isOwn = (creative: Creative): boolean => sourceOf(creative) === source;
  const own = catalogue.creatives.filter(isOwn);
  const others = catalogue.creatives.filter((creative) => !isOwn(creative));
  const isDetectionCurrent = catalogue.manifest.telling === DETECTION_VERSION;
  return {
    id: liveId,
    catalogue,
    own,
    others: isDetectionCurrent ? others : await redetectLanguages(others),
    isDetectionCurrent,
    checkedImages: checkedImages(catalogue),
  };
}

const NOTHING: Omit<LiveCatalogue, 'id'> = {
  catalogue: null,
  own: [],
  others: [],
  isDetectionCurrent: false,
  checkedImages: new Set(),
};

/** Returns the images of a catalogue that were all checked by the rules of this release. */
function checkedImages({ manifest, creatives }: StoredCatalogue): ReadonlySet<string> {
  if (manifest.pictures !== IMAGE_RULES_VERSION) return new Set();
  return new Set(creatives.flatMap(({ imageFile }) => imageFile ?? []));
}

/** Returns the names of a snapshot's sources; null if its manifest cannot be read. */
function sourcesIn({ manifest }: KeptSnapshot): string[] | null {
  return manifest instanceof SnapshotFaultError ? null : Object.keys(manifest.sources ?? { [DEFAULT_SOURCE]: 0 });
}

function unreadable(others: readonly string[], isKnown: boolean): string {
  const rows = `rows of other sources${others.length === 0 ? '' : ` (${others.join(', ')})`}`;
  const lost = isKnown ? `${rows} would be lost` : `nothing says which sources it has: ${rows} may be lost`;
  return (
    `The live snapshot cannot be read, and ${lost}; nothing was published. Restore it, or make an earlier one live first ` +
    '(npm run rollback); or index this source alone with --allow-shrink, and the others after it.'
  );
}
