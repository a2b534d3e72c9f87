import { createHash } from 'node:crypto';

/** Computes a value from a text, or returns the value cached for the same owner. */
export type TextCache<T> = (
  owner: string | null,
  text: string,
  make: () => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T>;

/** Max number of cached encodings, 2 to 3 kB each. */
const CACHED = 2000;

/**
 * Creates a cache of values computed from texts, keyed by a digest of owner and text; it never holds the text itself.
 */
export function createTextCache<T>(): TextCache<T> {
  const cache = new Map<string, Promise<T>>();
  const take = async (digest: string, make: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    const known = cache.get(digest);
    const made = known ?? make();
    // Deleted and set again, so that the map is in order of last use.
    cache.delete(digest);
    cache.set(digest, made);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value!);
    try {
      return await made;
    } catch (error) {
      if (cache.get(digest) === made) cache.delete(digest);
      // The request that started the computation may have been cancelled or refused; this one was not.
      // Not the reason of the other request's signal, which says nothing about this one.
      if (signal?.aborted) throw signal.reason;
      if (known === undefined) throw error;
      return take(digest, make, signal);
    }
  };
  return (owner, text, make, signal) => {
    if (owner === null) return make();
    return take(createHash('sha256').update(`${owner}\n${text}`).digest('base64'), make, signal);
  };
}
