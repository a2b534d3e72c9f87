/** Entry point of the global script, `/sdk/adsdk.js`. */
import { serviceUrlOf } from './service-url.js';
import { createSdk } from './sdk.js';
import type { Adsdk } from './types.js';

type Call = [method: keyof Adsdk, given: [never, never, never], answer: (value: unknown) => void];

/** Null in a module. It may be an element named `currentScript` in the page's markup (DOM clobbering). */
const script = document.currentScript;
/**
 * The current value of `window.adsdk`: undefined, the loader's stub, this script if loaded before, or an element with
 * that id.
 */
const present: (Adsdk & { readonly q?: Call[] }) | undefined = window.adsdk;

if (!present?.init || present.q) {
  const sdk = (window.adsdk = createSdk(serviceUrlOf(script instanceof HTMLScriptElement && script.src)));
  const run = ([method, given, answer]: Call) => answer(sdk[method](...given));
  const queue = present?.q ?? [];
  queue.forEach(run);
  // For code that kept a reference to the stub.
  queue.push = (call) => (run(call), 0);
}
