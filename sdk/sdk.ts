import { AdsdkError } from './error.js';
import { fillSlots, type RequestAd } from './fill-slots.js';
import { ownFields } from './own-fields.js';
import { HOST, renderAd } from './render.js';
import { connect, requestAd, type Connection } from './request-ad.js';
import { reportError, emit } from './events.js';
import type { Adsdk } from './types.js';

/**
 * The browser script, before `init`.
 *
 * @param serviceUrl the service's base URL, where the script's own URL shows it
 */
export function createSdk(serviceUrl: string | undefined): Adsdk {
  let session: string;
  let connection: Connection | undefined;
  let turn: AbortController | undefined;

  const ask: RequestAd = async (given, turn) => {
    if (!connection) throw new AdsdkError('not-initialised', 'call init first');
    return requestAd(connection, session, given, turn);
  };

  return {
    init(config) {
      try {
        connection = undefined;
        connection = { ...connect(config, serviceUrl), extra: { credentials: 'omit' } };
        session ??= crypto.getRandomValues(new Uint32Array(4)).join('-');
      } catch (error) {
        reportError(error);
      }
    },

    async getAd(options) {
      try {
        const { ad, reason } = await ask(ownFields(options));
        if (!ad) emit('adsdk:no-fill', reason);
        return ad;
      } catch (error) {
        return reportError(error);
      }
    },

    render(ad, element, options) {
      try {
        return ad && renderAd(ad, element, options);
      } catch (error) {
        return reportError(error, [element]);
      }
    },

    async process(options) {
      turn?.abort();
      turn = new AbortController();
      return fillSlots(ask, options, turn.signal);
    },

    destroy(element) {
      for (const host of element?.querySelectorAll?.(HOST) ?? []) host.remove();
      if (element?.localName == HOST) element.remove();
    },
  };
}
