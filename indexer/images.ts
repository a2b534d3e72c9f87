import { storeImage } from '../models/snapshot/images.js';
import { shareImages } from '../models/snapshot/shared-catalogue.js';
import type { Cluster } from '../platform/cluster/cluster.js';
import type { AcceptedFeed } from './accept-feed.js';
import { IMAGE_RULES_VERSION } from './feed/image-rules.js';
import type { LiveCatalogue } from './live-catalogue.js';
import type { Progress } from './progress.js';

/**
 * Returns the version of the rules by which all images of the next snapshot are checked; null: not all of them are. A
 * run takes over the rows of other sources without reading their images again.
 */
export function imageRulesOf({ catalogue, others }: LiveCatalogue): number | null {
  const areChecked = catalogue?.manifest.pictures === IMAGE_RULES_VERSION;
  return areChecked || others.every(({ imageFile }) => imageFile === null) ? IMAGE_RULES_VERSION : null;
}

/**
 * Stores the feed's images. Those of an interrupted run are removed with the images that no snapshot names any more
 * (`removeOutdated`).
 */
export async function storeImages(
  { rows }: AcceptedFeed,
  { dataDir, cluster }: { readonly dataDir: string; readonly cluster: Cluster | null },
  progress: Progress,
): Promise<void> {
  const images = new Map(rows.flatMap(({ image }) => (image === null ? [] : [[image.name, image.source] as const])));
  if (images.size === 0) return;
  const step = progress.startStep('Images', images.size);
  let done = 0;
  for (const [name, source] of images) {
    await storeImage(dataDir, source, name);
    step.advance(++done);
  }
  if (cluster !== null) await shareImages(cluster, images.keys());
  step.end(images.size.toLocaleString('en'));
}
