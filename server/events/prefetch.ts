import type { IncomingHttpHeaders } from 'node:http';

/** Headers by which browsers mark a fetch ahead of time, or for a preview picture, of a page that nobody sees yet. */
const HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** `Sec-Purpose: prefetch;prerender` (Fetch standard), and its elders `Purpose`, `X-Purpose: preview` and `X-Moz`. */
export function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return HEADERS.some((name) => /^\s*(prefetch|prerender|preview)\b/i.test(String(headers[name] ?? '')));
}
