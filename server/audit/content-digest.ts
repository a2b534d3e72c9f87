import { createHash } from 'node:crypto';

/** Returns a digest that identifies a store's content, however its file is formatted. */
export function contentDigest(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
}
