/** The global script, `/sdk/adsdk.js`. */
import { homeOf } from './home.js';
import { createSdk } from './sdk.js';
import type { Adsdk } from './types.js';

type Call = [method: keyof Adsdk, given: [never, never, never], answer: (value: unknown) => void];

/** What the page has under our name: nothing, the loader's queue, this script already, or an element with that id. */
const present = window.adsdk as (Adsdk & { q?: Call[] }) | undefined;

if (!present?.init || present.q) {
  const sdk = (window.adsdk = createSdk(homeOf((document.currentScript as HTMLScriptElement | null)?.src)));
  const run = ([method, given, answer]: Call) => answer(sdk[method](...given));
  const queue = present?.q ?? [];
  queue.forEach(run);
  // For code that has kept the stub.
  queue.push = (call) => (run(call as Call), 0);
}
