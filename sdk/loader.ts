/**
 * The loader stub: `adsdk` before the script is there. Calls wait in a queue, in order; each answers with a promise,
 * and with null after 3 s where the script has not come, since blockers stop such files. One so answered is not made any
 * more, `init` excepted.
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
        // In a script that comes later still, `destroy()` does nothing.
        if (method != 'init') call.splice(0, 2, 'destroy', []);
      }, 3000);
    });
}
(window as { adsdk?: unknown }).adsdk ??= stub;
