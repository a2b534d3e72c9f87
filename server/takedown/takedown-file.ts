import { type Static, Type } from '#typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { checker, requireValid } from '../../models/schema/check.js';
import { Creative, FeedRow } from '../../models/schema/creative.js';
import { openStore } from '../stores/open-store.js';
import type { SharedStore } from '../stores/shared-store.js';

/** A creative that was taken down, whether or not it is in the feed. */
const Takedown = Type.Object(
  {
    id: FeedRow.properties.id,
    reason: Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Null()]),
    /** Time of the takedown, RFC 3339. */
    at: Type.String({ format: 'date-time' }),
    /** The creative's images in every snapshot that is or was kept. They are down with it. */
    images: Type.Array(Type.Exclude(Creative.properties.imageFile, Type.Null())),
  },
  { additionalProperties: false },
);
export type Takedown = Static<typeof Takedown>;

const TakedownFile = Type.Object({ version: Type.Literal(1), creatives: Type.Array(Takedown) });
export type TakedownFile = Static<typeof TakedownFile>;

/**
 * Opens the store of takedowns: `DATA_DIR/taken-down.json`, which operators may edit by hand, or in a cluster the
 * shared document of that name.
 */
export function takedownStore(dataDir: string, cluster?: Cluster | null): SharedStore<TakedownFile> {
  return openStore<TakedownFile>({
    dataDir,
    name: 'taken-down.json',
    empty: { version: 1, creatives: [] },
    parse,
    cluster,
  });
}

const check = checker(TakedownFile);

function parse(value: unknown): TakedownFile {
  const file = requireValid(check(value));
  const ids = new Set<string>();
  for (const { id } of file.creatives) {
    if (ids.has(id)) throw new Error(`${id} appears twice in the creatives`);
    ids.add(id);
  }
  return file;
}
