import { isbot } from 'isbot';
import type { IncomingHttpHeaders } from 'node:http';
import type { EventKind } from '../../models/schema/event-kinds.js';

/**
 * Whether a beacon or target was fetched the way a page in a browser fetches it, judged by the user agent and by the
 * `Sec-Fetch-*` headers, which no script in a page can set. A client that writes all of them by hand passes.
 *
 * @param hasFetchMetadata whether browsers send `Sec-Fetch-*` to this service: they do so only over https and to their
 *   own machine
 */
export function isBrowserFetch(kind: EventKind, headers: IncomingHttpHeaders, hasFetchMetadata: boolean): boolean {
  if (!isBrowser(headers['user-agent'])) return false;
  const fields = ['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user'].map((name) => headers[name]);
  if (!hasFetchMetadata && fields.every((field) => field === undefined)) return true;
  const [site, mode, destination, user] = fields;
  if (typeof site !== 'string' || !SITES.has(site)) return false;
  if (kind !== 'click') {
    // A page loads the beacon as an image or by script: a person does not type its URL, and it is not a page itself.
    return site !== 'none' && isOf(mode, ['no-cors', 'cors']) && isOf(destination, ['image', 'empty']);
  }
  // A page can navigate by script, and a frame can load by itself. WebKit does not send Sec-Fetch-User, and another app
  // that opens the link is no page.
  const isPage = isOf(destination, ['document']);
  const mayLackUser = isPage && (site === 'none' || !SENDS_USER.test(headers['user-agent'] ?? ''));
  const isByPerson = isOf(mayLackUser ? (user ?? '?1') : user, ['?1']);
  return isOf(mode, ['navigate']) && isOf(destination, ['document', 'iframe', 'frame']) && isByPerson;
}

/**
 * Whether the browser itself reports that a page loaded the target as an image or by script, rather than navigating to
 * it. Node's `fetch` sends a mode too, but no destination: a publisher's server may follow a target.
 */
export function isNotNavigation(headers: IncomingHttpHeaders): boolean {
  const [mode, destination] = [headers['sec-fetch-mode'], headers['sec-fetch-dest']];
  return mode !== undefined && destination !== undefined && mode !== 'navigate';
}

/** Blink and Gecko, which send `Sec-Fetch-User` when a person navigates; their namesakes on iOS are WebKit. */
const SENDS_USER = / Chrom(?:e|ium)\/\d| Firefox\/\d/;

const SITES = new Set(['cross-site', 'same-site', 'same-origin', 'none']);

/** Engines as they name themselves: WebKit (web views in apps often send only this), Blink, Gecko. */
const ENGINES = /AppleWebKit\/[\d.]+ \(KHTML, like Gecko\)|Gecko\/[\d.]+ Firefox\/[\d.]+/;
/** No browser sends a longer user agent, and a longer one would take long to match. */
const MAX_CHARACTERS = 1000;

function isBrowser(userAgent: string | undefined): boolean {
  if (userAgent === undefined || userAgent.length > MAX_CHARACTERS) return false;
  return userAgent.startsWith('Mozilla/5.0 (') && ENGINES.test(userAgent) && !isbot(userAgent);
}

function isOf(value: string | string[] | undefined, allowed: readonly string[]): boolean {
  return typeof value === 'string' && allowed.includes(value);
}
