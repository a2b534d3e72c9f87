import { Type } from '#typebox';

/** A feed's name. Each source owns its creatives in the catalogue; indexing it again replaces only those. */
export const SourceName = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
  description: 'lower-case letters, digits, dots, dashes and underscores, 64 at most',
});

/** The source of a feed indexed without a name. Not stored, as in catalogues from before there were sources. */
export const DEFAULT_SOURCE = 'default';

/** Returns the source of a creative. */
export function sourceOf({ source }: { readonly source?: string | undefined }): string {
  return source ?? DEFAULT_SOURCE;
}

/** Counts the creatives of each source by name, the default source first; undefined if there is no other source. */
export function countSources(
  creatives: readonly { readonly source?: string | undefined }[],
): Record<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const creative of creatives) counts.set(sourceOf(creative), (counts.get(sourceOf(creative)) ?? 0) + 1);
  if ([...counts.keys()].every((name) => name === DEFAULT_SOURCE)) return undefined;
  return Object.fromEntries([...counts].toSorted(([one], [other]) => compareSources(one, other)));
}

/** Orders the default source first, then by name. */
export function compareSources(one: string, other: string): number {
  if (one === other) return 0;
  if (one === DEFAULT_SOURCE || other === DEFAULT_SOURCE) return one === DEFAULT_SOURCE ? -1 : 1;
  return one < other ? -1 : 1;
}
