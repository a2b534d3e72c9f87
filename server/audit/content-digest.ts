import { sha256 } from '../../platform/text/sha256.js';

/** Returns a digest that identifies a store's content, however its file is formatted. */
export function contentDigest(content: unknown): string {
  return sha256(JSON.stringify(content)).slice(0, 32);
}
