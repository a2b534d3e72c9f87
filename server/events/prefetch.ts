import type { IncomingHttpHeaders } from 'node:http';

/** Headers by which browsers tell that they fetch ahead of, or for a picture of, a page that nobody looks at yet. */
const HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** `Sec-Purpose: prefetch;prerender` (Fetch standard), and its elders `Purpose`, `X-Purpose: preview` and `X-Moz`. */
export function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return HEADERS.some((name) => /^\s*(prefetch|prerender|preview)\b/i.test(String(headers[name] ?? '')));
}
