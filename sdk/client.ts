import { AdsdkError, asError } from './error.js';
import { fetchWithRetry } from './fetch-with-retry.js';
import { ownFields } from './own-fields.js';
import { connect, requestAd } from './request-ad.js';
import type { Client, ClientConfig, Config } from './types.js';

/**
 * Creates the REST client, for Node and edge runtimes: the script's requests without a page. Throws `not-initialised`
 * if the key or the base URL is missing or wrong, so that a server does not start with them: the URL must be absolute,
 * with http or https, and without user name, query or fragment; the key must be one that a header can hold. The
 * client's functions never throw.
 */
export function createClient(config: ClientConfig): Client {
  const { apiKey, baseUrl, timeout, disclosure } = ownFields(config);
  const connection = connect({ apiKey, baseUrl: addressOf(baseUrl), timeout, disclosure } as Config);
  if (!isHeaderValue(connection.apiKey))
    throw new AdsdkError('not-initialised', 'apiKey has characters that no key has');
  return {
    async match(options) {
      try {
        const given = ownFields(options);
        if (given.sessionId && !isHeaderValue(given.sessionId)) {
          throw new AdsdkError('invalid-argument', 'sessionId has characters that a header cannot hold');
        }
        const fields = { ...connection.fields!, country: given.country };
        return { language: null, ...(await requestAd({ ...connection, fields }, given.sessionId, given)), error: null };
      } catch (error) {
        return { ad: null, language: null, reason: null, error: asError(error) };
      }
    },

    async impression(ad, signal) {
      try {
        const { status } = await fetchWithRetry(ad.impressionUrl, { method: 'GET' }, connection.timeout, signal);
        return status == 200;
      } catch {
        return false;
      }
    },
  };
}

/** Returns the URL as text; undefined if it is missing. Throws `not-initialised` if no request can be sent to it. */
function addressOf(baseUrl: string | URL | undefined): string | undefined {
  if (!baseUrl) return undefined;
  try {
    const { origin, pathname, protocol, username, password, search, hash } = new URL(baseUrl);
    if (/^https?:$/.test(protocol) && !(username || password || search || hash)) return origin + pathname;
  } catch {
    // Not absolute.
  }
  throw new AdsdkError('not-initialised', `baseUrl is not an absolute http(s) URL: ${String(baseUrl)}`);
}

/** Whether a request header can hold the text: `fetch` would throw at each request, as if the network were down. */
function isHeaderValue(text: string): boolean {
  try {
    return !!new Headers([['x', text]]);
  } catch {
    return false;
  }
}
