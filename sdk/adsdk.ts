/** The global script, `/sdk/adsdk.js`. */
import { serviceUrlOf } from './service-url.js';
import { createSdk } from './sdk.js';
import type { Adsdk } from './types.js';

type Call = [method: keyof Adsdk, given: [never, never, never], answer: (value: unknown) => void];

/** Null in a module. A page's own text may have put an image of that name in its place (DOM clobbering). */
const script = document.currentScript;
/** What the page has under our name: nothing, the loader's queue, this script already, or an element with that id. */
const present: (Adsdk & { readonly q?: Call[] }) | undefined = window.adsdk;

if (!present?.init || present.q) {
  const sdk = (window.adsdk = createSdk(serviceUrlOf(script instanceof HTMLScriptElement && script.src)));
  const run = ([method, given, answer]: Call) => answer(sdk[method](...given));
  const queue = present?.q ?? [];
  queue.forEach(run);
  // For code that has kept the stub.
  queue.push = (call) => (run(call), 0);
}
