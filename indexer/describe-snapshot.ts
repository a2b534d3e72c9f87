import { DEFAULT_SOURCE } from '../models/schema/source.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { printable } from '../platform/text/printable.js';

/** The most characters of a name that a table or message shows. */
export const MAX_NAME = 40;

/** Describes a snapshot in one line, so that an operator sees whether a rollback went where it should. */
export function describeSnapshot(manifest: Manifest): string {
  const { id, name, builtAt, counts } = manifest;
  const creatives = `${counts.creatives.toLocaleString('en')} ${counts.creatives === 1 ? 'creative' : 'creatives'}`;
  return `${id}, “${printable(name, MAX_NAME)}” of ${builtAt} with ${creatives}: ${describeSources(manifest)}`;
}

/** Returns how many creatives each source has in a snapshot, such as `garden-shop 120, default 3`. */
export function describeSources({ sources, counts }: Manifest): string {
  return Object.entries(sources ?? { [DEFAULT_SOURCE]: counts.creatives })
    .map(([source, count]) => `${source} ${count.toLocaleString('en')}`)
    .join(', ');
}
