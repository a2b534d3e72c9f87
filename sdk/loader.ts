/**
 * The loader stub: `adsdk` until the script has loaded. Calls are queued in order, and each returns a promise. If the
 * script has not loaded after 3 s, since ad blockers may block it, the promise resolves to null. A call that
 * has resolved this way is not made later, except `init`.
 */
const queue: unknown[] = [];
const stub: Record<string, unknown> = { q: queue };
for (const method of ['init', 'getAd', 'render', 'process', 'destroy']) {
  stub[method] = (...given: unknown[]) =>
    new Promise((answer) => {
      const call = [method, given, answer];
      queue.push(call);
      setTimeout(() => {
        answer(null);
        // If the script loads later, `destroy()` does nothing.
        if (method != 'init') call.splice(0, 2, 'destroy', []);
      }, 3000);
    });
}
const page = window as { adsdk?: { readonly init?: unknown } | undefined };
// An element with the id `adsdk` has no `init`.
if (!page.adsdk?.init) page.adsdk = stub;
