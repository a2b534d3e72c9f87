import { Type } from 'typebox';

/** A feed's name: each source owns its rows of the catalogue, and indexing it again replaces those alone. */
export const SourceName = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
  description: 'lower-case letters, digits, dots, dashes and underscores, 64 at most',
});

/** The source of a feed that is indexed without a name. Stored as none, as before there were sources. */
export const DEFAULT_SOURCE = 'default';

/** The source that a creative came from. */
export function sourceOf({ source }: { readonly source?: string | undefined }): string {
  return source ?? DEFAULT_SOURCE;
}

/** How many creatives each source has, by name, the default one first; undefined where there is no other. */
export function countSources(
  creatives: readonly { readonly source?: string | undefined }[],
): Record<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const creative of creatives) counts.set(sourceOf(creative), (counts.get(sourceOf(creative)) ?? 0) + 1);
  if ([...counts.keys()].every((name) => name === DEFAULT_SOURCE)) return undefined;
  return Object.fromEntries([...counts].toSorted(([one], [other]) => compareSources(one, other)));
}

/** The default source first, then by name. */
export function compareSources(one: string, other: string): number {
  if (one === other) return 0;
  if (one === DEFAULT_SOURCE || other === DEFAULT_SOURCE) return one === DEFAULT_SOURCE ? -1 : 1;
  return one < other ? -1 : 1;
}
