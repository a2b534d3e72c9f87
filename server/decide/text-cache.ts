import { createHash } from 'node:crypto';

/** Makes something of a text, or takes what was made of it for the same owner. */
export type TextCache<T> = (
  owner: string | null,
  text: string,
  make: () => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T>;

/** Encodings that are cached; 2 to 3 kB each. */
const CACHED = 2000;

/** A cache of what was made of texts, under a digest of owner and text, never the text itself. */
export function createTextCache<T>(): TextCache<T> {
  const cache = new Map<string, Promise<T>>();
  const take = async (digest: string, make: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    const known = cache.get(digest);
    const made = known ?? make();
    // Deleted and set again, so that the map's order is that of last use.
    cache.delete(digest);
    cache.set(digest, made);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value!);
    try {
      return await made;
    } catch (error) {
      if (cache.get(digest) === made) cache.delete(digest);
      // The request that began it may have been given up, or refused; this one was not.
      if (known === undefined || signal?.aborted) throw error;
      return take(digest, make, signal);
    }
  };
  return (owner, text, make, signal) => {
    if (owner === null) return make();
    return take(createHash('sha256').update(`${owner}\n${text}`).digest('base64'), make, signal);
  };
}
