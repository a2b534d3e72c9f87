import { createHash } from 'node:crypto';

/** By which a store's content is known again, however its file is laid out. */
export function contentDigest(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
}
