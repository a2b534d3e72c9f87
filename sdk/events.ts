import { type AdsdkError, asError } from './error.js';
import type { AdsdkEventMap } from './types.js';

/** Dispatches an event that bubbles from each target; from the document where there is none. */
export function emit<K extends keyof AdsdkEventMap>(
  type: K,
  detail: AdsdkEventMap[K]['detail'],
  targets: readonly (EventTarget | undefined)[] = [],
): void {
  for (const target of targets.length ? targets : [globalThis.document]) {
    target?.dispatchEvent?.(new CustomEvent(type, { bubbles: true, composed: true, detail }));
  }
}

/** Every fault ends here; a request that the page itself gave up is none. */
export function reportError(
  thrown: unknown,
  targets?: readonly (EventTarget | undefined)[],
  onError?: (error: AdsdkError) => unknown,
): null {
  const error = asError(thrown);
  if (error.code != 'aborted') {
    emit('adsdk:error', error, targets);
    callLater(onError, error);
  }
  return null;
}

/** In a task of its own, so that what the page's function throws is the page's exception and not our failure. */
export function callLater<T>(callback: ((value: T) => unknown) | undefined, value: T): void {
  if (callback) queueMicrotask(() => callback(value));
}
