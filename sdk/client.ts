import { asError } from './error.js';
import { fetchWithRetry } from './fetch-with-retry.js';
import { ownFields } from './own-fields.js';
import { connect, requestAd } from './request-ad.js';
import type { Client, Config } from './types.js';

/**
 * Creates the REST client, for Node and edge runtimes: the script's requests without a page. Throws `not-initialised`
 * if the key or the base URL is missing or wrong, so that a server does not start with them. The client's functions
 * never throw.
 */
export function createClient(config: Config & { readonly baseUrl: string }): Client {
  const connection = connect(config);
  return {
    async match(options) {
      try {
        const given = ownFields(options);
        return { language: null, ...(await requestAd(connection, given.sessionId, given)), error: null };
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
