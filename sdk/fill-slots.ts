import { AdsdkError } from './error.js';
import { ownFields } from './own-fields.js';
import { HOST, type Show } from './render.js';
import type { Answer } from './request-ad.js';
import { callLater, reportError, emit } from './events.js';
import type { Ad, MatchOptions, ProcessOptions, Template } from './types.js';

export type RequestAd = (given: Partial<MatchOptions>, turn?: AbortSignal) => Promise<Answer>;

/** One ad into every slot of the page, as `process` promises; `turn` is aborted by the next call. */
export async function fillSlots(
  ask: RequestAd,
  show: Show,
  options: ProcessOptions,
  turn: AbortSignal,
): Promise<Ad | null> {
  const given = ownFields(options);
  const { signal, onlyNew, onFill, onNoFill, onError } = given;
  let slots: HTMLElement[] = [];
  try {
    slots = find(onlyNew);
    const { ad, reason } = slots[0] ? await ask(given, turn) : NO_SLOTS;
    if (signal?.aborted || turn.aborted) throw new AdsdkError('aborted');
    // A live page may have taken slots away and put others in while the request ran.
    slots = find(onlyNew);
    let shown = false;
    for (const slot of ad ? slots : []) {
      // A slot within a slot went with the content that the outer one's ad replaced.
      if (!slot.isConnected) continue;
      show(ad!, slot, { template: slot.getAttribute('data-adsdk-template') as Template });
      shown = true;
    }
    if (shown) {
      callLater(onFill, ad!);
      return ad;
    }
    const why = ad ? NO_SLOTS.reason : reason;
    emit('adsdk:no-fill', why, slots);
    callLater(onNoFill, why);
    return null;
  } catch (error) {
    return reportError(error, slots, onError);
  }
}

const NO_SLOTS: Answer = { ad: null, reason: 'no-slots' };

const find = (onlyNew: boolean | undefined): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>('[data-adsdk-slot]')].filter(
    (slot) => !(onlyNew && slot.querySelector(HOST)),
  );
