import { type AdsdkError, asError } from './error.js';
import type { AdsdkEventMap } from './types.js';

/** Dispatches an event that bubbles from each target, or from the document if there are none. */
export function emit<K extends keyof AdsdkEventMap>(
  type: K,
  detail: AdsdkEventMap[K]['detail'],
  targets?: readonly (EventTarget | undefined)[] | false,
): void {
  for (const target of targets && targets.length ? targets : [globalThis.document]) {
    target?.dispatchEvent?.(new CustomEvent(type, { bubbles: true, composed: true, detail }));
  }
}

/** Reports every error of the script to the page, except for requests that the page aborted itself. */
export function reportError(
  thrown: unknown,
  targets?: readonly (EventTarget | undefined)[] | false,
  onError?: (error: AdsdkError) => unknown,
): null {
  const error = asError(thrown);
  if (error.code != 'aborted') {
    emit('adsdk:error', error, targets);
    callLater(onError, error);
  }
  return null;
}

/**
 * Calls back in a separate microtask, so that an exception of the page's function is the page's and not the script's.
 */
export function callLater<T>(callback: ((value: T) => unknown) | undefined, value: T): void {
  if (callback) queueMicrotask(() => callback(value));
}
