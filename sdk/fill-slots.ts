import { AdsdkError } from './error.js';
import { ownFields } from './own-fields.js';
import { HOST, removeAds, type Show } from './render.js';
import type { MatchResult } from './request-ad.js';
import { callLater, reportError, emit } from './events.js';
import type { Ad, MatchOptions, ProcessOptions, Template } from './types.js';

export type RequestAd = (given: Partial<MatchOptions>, superseded?: AbortSignal) => Promise<MatchResult>;

/** A running `process`. */
export interface Processing {
  /** Aborted by the next call, and when `destroy` clears all slots of this one. */
  readonly stop: AbortController;
  /** The slots that the call is for; empty once it has ended, so that they are not kept in memory. */
  slots: readonly HTMLElement[];
  /** Elements that `destroy` has cleared since the call began: no slot in them is filled by it. */
  cleared: readonly HTMLElement[];
}

const isCleared = ({ cleared }: Processing, slot: HTMLElement): boolean =>
  cleared.some((element) => element.contains?.(slot));

/** Keeps a running call from filling slots in an element, and ends it if it has no others. */
export function clearIn(call: Processing, element: HTMLElement): void {
  call.cleared = [...call.cleared, element];
  if (call.slots.every((slot) => isCleared(call, slot))) call.stop.abort();
}

/** Slots for which there was no ad. */
const refused = new WeakSet<HTMLElement>();

/**
 * Implements `process`: renders one ad into every slot of the page. If there is no ad, slots lose the ad that they
 * show, since it was for an earlier turn.
 */
export async function fillSlots(
  ask: RequestAd,
  show: Show,
  options: ProcessOptions,
  call: Processing,
): Promise<Ad | null> {
  const given = ownFields(options);
  const { signal, onlyNew, onFill, onNoFill, onError } = given;
  const superseded = call.stop.signal;
  let slots: HTMLElement[] = [];
  const find = () =>
    [...document.querySelectorAll<HTMLElement>('[data-adsdk-slot]')].filter(
      (slot) => !(isCleared(call, slot) || (onlyNew && (refused.has(slot) || slot.querySelector(HOST)))),
    );
  try {
    call.slots = slots = find();
    const { ad, reason } = slots[0] ? await ask(given, superseded) : { ad: null, reason: NO_SLOTS };
    if (signal?.aborted || superseded.aborted) throw new AdsdkError('aborted');
    // The page may have removed and added slots while the request ran.
    slots = find();
    const filled = slots.filter(
      (slot) =>
        // A slot inside another slot was removed when the outer slot's ad replaced its content.
        ad &&
        slot.isConnected &&
        (refused.delete(slot), show(ad, slot, { template: slot.getAttribute('data-adsdk-template') as Template })),
    );
    if (filled.length) {
      callLater(onFill, ad!);
      return ad;
    }
    const why = ad ? NO_SLOTS : reason;
    for (const slot of slots) {
      removeAds(slot);
      refused.add(slot);
    }
    emit('adsdk:no-fill', why, slots);
    callLater(onNoFill, why);
    return null;
  } catch (error) {
    if (!signal?.aborted && !superseded.aborted) slots.forEach(removeAds);
    return reportError(error, slots, onError);
  } finally {
    call.slots = call.cleared = [];
  }
}

const NO_SLOTS = 'no-slots';
