import { createIsbotFromList, list } from 'isbot';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * User agents that isbot's list calls bots but that count here. Apps and sites that load the beacon themselves use an
 * HTTP library or their own name, and site tests run in a browser without a window. The remaining patterns match
 * crawlers that name themselves.
 */
const NOT_CRAWLERS = [
  'curl/8.5.0',
  'Wget/1.21.4',
  'node',
  'undici',
  'axios/1.7.2',
  'okhttp/4.12.0',
  'Apache-HttpClient/4.5.14 (Java/17.0.9)',
  'Java-http-client/17.0.9',
  'Go-http-client/2.0',
  'python-requests/2.31.0',
  'python-httpx/0.27.0',
  'Dart/3.3 (dart:io)',
  'GuzzleHttp/7',
  'ExampleApp/1.2.3',
  'ExampleApp/1.0',
  'ExampleApp',
  'Mozilla/5.0',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/143.0.0.0 Safari/537.36',
];

const matchesExempt = (pattern: string): boolean =>
  NOT_CRAWLERS.some((userAgent) => new RegExp(pattern, 'i').test(userAgent));
const isKnown = createIsbotFromList(list.filter((pattern) => !matchesExempt(pattern)));

const MAX_VERDICTS = 1000;
/** Longer user agents are not cached: clients choose them, and memory is limited. */
const MAX_REMEMBERED = 300;

/** Whether a user agent names a known crawler or link preview. A missing user agent is not a crawler. */
export type CrawlerCheck = (userAgent: string | undefined) => boolean;

/**
 * Creates the check. It remembers its results: only few user agents are in use at a time, and matching the list costs
 * as much as verifying a request id.
 */
export function createCrawlerCheck(): CrawlerCheck {
  const verdicts = new Map<string, boolean>();
  return (userAgent = '') => {
    if (userAgent.length > MAX_REMEMBERED) return isKnown(userAgent);
    const known = verdicts.get(userAgent);
    if (known !== undefined) return known;
    const verdict = isKnown(userAgent);
    if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
    verdicts.set(userAgent, verdict);
    return verdict;
  };
}

/** Headers by which browsers mark a prefetch, or a fetch for a preview picture, of a page that no person sees yet. */
const HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/**
 * Whether a fetch is marked as a prefetch: by `Sec-Purpose: prefetch;prerender` (Fetch standard) or its predecessors
 * `Purpose`, `X-Purpose: preview` and `X-Moz`.
 */
export function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return HEADERS.some((name) => /^\s*(prefetch|prerender|preview)\b/i.test(String(headers[name] ?? '')));
}
