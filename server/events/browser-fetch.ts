import { isbot } from 'isbot';
import type { IncomingHttpHeaders } from 'node:http';
import type { EventKind } from '../../models/schema/usage-event.js';

/**
 * Whether a beacon or target was fetched as a page in a browser does it: by the user agent, and by the `Sec-Fetch-*` headers,
 * which no script of a page can set. Whoever writes all of them by hand passes.
 *
 * @param marked whether browsers send `Sec-Fetch-*` to this service: only to https and to their own machine
 */
export function isBrowserFetch(kind: EventKind, headers: IncomingHttpHeaders, marked: boolean): boolean {
  if (!isBrowser(headers['user-agent'])) return false;
  const fields = ['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user'].map((name) => headers[name]);
  if (!marked && fields.every((field) => field === undefined)) return true;
  const [site, mode, destination, user] = fields;
  if (typeof site !== 'string' || !SITES.has(site)) return false;
  if (kind !== 'click') {
    // A page loads it, as a picture or by script: nobody types it, and it is no page itself.
    return site !== 'none' && isOf(mode, ['no-cors', 'cors']) && isOf(destination, ['image', 'empty']);
  }
  // Some browsers do not say that a person caused it. A frame loads by itself, so there it has to be said.
  const isByPerson = isOf(destination, ['document']) ? isOf(user ?? '?1', ['?1']) : isOf(user, ['?1']);
  return isOf(mode, ['navigate']) && isOf(destination, ['document', 'iframe', 'frame']) && isByPerson;
}

/**
 * Whether the browser itself says that a target was loaded by a page, as a picture or by script, and not opened by anybody. Node's
 * `fetch` gives a mode as well, but no destination: a publisher's server may follow a target.
 */
export function isNoNavigation(headers: IncomingHttpHeaders): boolean {
  const [mode, destination] = [headers['sec-fetch-mode'], headers['sec-fetch-dest']];
  return mode !== undefined && destination !== undefined && mode !== 'navigate';
}

const SITES = new Set(['cross-site', 'same-site', 'same-origin', 'none']);

/** Engines as they name themselves: WebKit (views inside apps are often no more), Blink, Gecko. */
const ENGINES = /AppleWebKit\/[\d.]+ \(KHTML, like Gecko\)|Gecko\/[\d.]+ Firefox\/[\d.]+/;
/** No browser has more to say of itself; and what is longer would take long to look through. */
const MOST_CHARACTERS = 1000;

function isBrowser(userAgent: string | undefined): boolean {
  if (userAgent === undefined || userAgent.length > MOST_CHARACTERS) return false;
  return userAgent.startsWith('Mozilla/5.0 (') && ENGINES.test(userAgent) && !isbot(userAgent);
}

function isOf(value: string | string[] | undefined, allowed: readonly string[]): boolean {
  return typeof value === 'string' && allowed.includes(value);
}
