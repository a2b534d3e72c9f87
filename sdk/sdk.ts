import { AdsdkError } from './error.js';
import { clearIn, fillSlots, type Processing, type RequestAd } from './fill-slots.js';
import { ownFields } from './own-fields.js';
import { wordingOf } from './labels.js';
import { HOST, removeAds, renderAd, type Show } from './render.js';
import { connect, requestAd, type Connection } from './request-ad.js';
import { reportError, emit } from './events.js';
import type { Adsdk, LabelOptions } from './types.js';

/**
 * Creates the browser script, not yet initialised.
 *
 * @param serviceUrl the service's base URL, if the script's own URL contains it
 */
export function createSdk(serviceUrl: string | undefined): Adsdk {
  let session: string;
  let connection: Connection | undefined;
  let labels: LabelOptions | undefined;
  let processing: Processing | undefined;
  /** Languages of ads by impression URL, which copies and proxies of an ad object share. */
  const languages = new Map<string, string>();

  const ask: RequestAd = async (given, superseded) => {
    if (!connection) throw new AdsdkError('not-initialised', 'call init first');
    const answer = await requestAd(connection, session, given, superseded);
    // Only in a page: on a server the map would grow without end.
    if (answer.language && globalThis.document) languages.set(answer.ad!.impressionUrl, answer.language);
    return answer;
  };

  const show: Show = (ad, element, options) =>
    renderAd(ad, element, options, wordingOf(languages.get(ad.impressionUrl) ?? ownFields(options).language, labels));

  return {
    init(config) {
      try {
        connection = undefined;
        connection = { ...connect(config, serviceUrl), extra: { credentials: 'omit' } };
        ({ labels } = ownFields(config));
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
        return ad && show(ad, element, options);
      } catch (error) {
        return reportError(error, element?.isConnected && [element]);
      }
    },

    async process(options) {
      processing?.stop.abort();
      return fillSlots(ask, show, options, (processing = { stop: new AbortController(), slots: [], cleared: [] }));
    },

    destroy(element) {
      removeAds(element);
      // Its ad would be for what the page no longer shows. Not for a missing element: the stub calls `destroy()`.
      if (processing?.slots[0] && element) clearIn(processing, element);
      if (element?.localName == HOST) element.remove();
    },
  };
}
