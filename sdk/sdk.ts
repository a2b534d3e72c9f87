import { AdsdkError } from './error.js';
import { fillSlots, type Ask } from './fill-slots.js';
import { own } from './own.js';
import { HOST, show } from './render.js';
import { connect, requestAd, type Connection } from './request-ad.js';
import { report, tell } from './tell.js';
import type { Adsdk } from './types.js';

/**
 * The browser script, before `init`.
 *
 * @param home the service's address, as far as the script's own URL tells it
 */
export function createSdk(home: string | undefined): Adsdk {
  let session: string;
  let connection: Connection | undefined;
  let turn: AbortController | undefined;

  const ask: Ask = async (context, ...signals) => {
    if (!connection) throw new AdsdkError('not-initialised', 'call init first');
    return requestAd(connection, session, context, ...signals);
  };

  return {
    init(config) {
      try {
        connection = undefined;
        connection = { ...connect(config, home), extra: { credentials: 'omit' } };
        session ??= crypto.getRandomValues(new Uint32Array(4)).join('-');
      } catch (error) {
        report(error);
      }
    },

    async getAd(options) {
      try {
        const { context, signal } = own(options);
        const { ad, reason } = await ask(context, signal);
        if (!ad) tell('adsdk:no-fill', reason);
        return ad;
      } catch (error) {
        return report(error);
      }
    },

    render(ad, element, options) {
      try {
        return ad && show(ad, element, options);
      } catch (error) {
        return report(error, [element]);
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
