import { checkAd } from './check-ad.js';
import { AdsdkError } from './error.js';
import { fetchWithRetry, type Reply } from './fetch-with-retry.js';
import { ownFields } from './own-fields.js';
import { requestBody } from './request-body.js';
import type { Ad, Config, MatchOptions } from './types.js';

/** The service's address and the publisher's key. */
export interface Connection {
  readonly base: string;
  readonly apiKey: string;
  /** Milliseconds for the whole request. */
  readonly timeout: number;
  /** What else each request says: whether the disclosure of its ad is wanted, and the reader's country. */
  readonly fields?: { readonly disclosure: boolean | undefined; readonly country?: string | undefined };
  /** Options added in browsers only; edge runtimes reject the option `credentials`. */
  readonly extra?: RequestInit;
}

export interface MatchResult {
  readonly ad: Ad | null;
  /** BCP 47 tag of the ad's language, if the server knows it. */
  readonly language?: string | null;
  /** Why there is no ad, if the server gives a reason. */
  readonly reason: string | null;
}

/** About 23 days; from 2 ** 31 ms on, `setTimeout` does not wait at all. */
const MAX_TIMEOUT = 2e9;

/**
 * Validates the options of `init` and `createClient`. Throws `not-initialised`.
 *
 * @param serviceUrl the base URL if none is given
 */
export function connect(config: Config, serviceUrl?: string): Connection {
  const { apiKey, baseUrl = serviceUrl, timeout, disclosure } = ownFields(config);
  // Any other kind of key may be a secret: it is never sent anywhere.
  if (!apiKey?.startsWith?.('pub_')) throw new AdsdkError('not-initialised', 'no pub_ apiKey');
  if (!baseUrl) throw new AdsdkError('not-initialised', 'no baseUrl');
  return {
    apiKey,
    base: baseUrl.replace(/\/+$/, ''),
    timeout: timeout! > 0 ? Math.min(timeout!, MAX_TIMEOUT) : 3000,
    fields: { disclosure },
  };
}

/**
 * Requests an ad from the match endpoint. Throws a typed error.
 *
 * @param given without prototype
 * @param cancelled a second signal that cancels the request
 */
export async function requestAd(
  { base, apiKey, timeout, fields, extra }: Connection,
  session: string | undefined,
  given: Partial<MatchOptions>,
  superseded?: AbortSignal,
): Promise<MatchResult> {
  const request = {
    ...extra,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': apiKey,
      // A 404 for no ad would appear as an error in the browser's console.
      'x-adjacent-no-ad': '204',
      ...(session && { 'x-session-id': session }),
    },
    body: requestBody(given, fields),
  };
  const url = base + '/api/v1/public/creatives/match';
  return read(await fetchWithRetry(url, request, timeout, given.signal, superseded));
}

function read({ status, headers, body }: Reply): MatchResult {
  if (status == 204 || status == 404) return { ad: null, reason: headers.get('x-adjacent-reason') };
  if (status != 200) {
    throw new AdsdkError('http', `${status} ${body.slice(0, 200)}`, status, +headers.get('retry-after')! || undefined);
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // `checkAd` then throws `invalid-ad`, as for any other response that is not an ad.
  }
  return { ad: checkAd(value), reason: null, language: headers.get('content-language') };
}
