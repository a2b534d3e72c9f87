/**
 * The loader stub: `adsdk` before the script is there. Calls wait in a queue, in order; each answers with a promise,
 * and with null after 3 s where the script never comes, since blockers stop such files.
 */
const queue: unknown[] = [];
const stub: Record<string, unknown> = { q: queue };
for (const method of ['init', 'getAd', 'render', 'process', 'destroy']) {
  stub[method] = (...given: unknown[]) =>
    new Promise((answer) => {
      queue.push([method, given, answer]);
      setTimeout(answer, 3000, null);
    });
}
(window as { adsdk?: unknown }).adsdk ??= stub;
