import { ownFields } from './own-fields.js';

/**
 * Loads a pixel the first time its URL is asked for on this page and never again, also where the page has loaded the
 * script twice or in both its builds. A pixel that failed (the server could not store the event, or the network was
 * away) is tried once more: the server counts a request id once. A page that the browser prerenders loads it when it is
 * shown, unless the ad was taken away before.
 *
 * @param host the ad: one that is not in the page has no pixel
 * @param onLoad called that first time
 */
export function loadOnce(url: string, host: Element, onLoad: () => void): void {
  const loaded = ((globalThis as unknown as Record<symbol, Set<string>>)[Symbol.for('adsdk')] ??= new Set());
  const load = () => {
    const pixel = new Image();
    pixel.src = url;
    return pixel;
  };
  const begin = () => {
    if (loaded.has(url) || !host.isConnected) return;
    loaded.add(url);
    load().addEventListener('error', () => setTimeout(load, 1000));
    onLoad();
  };
  // A page that the browser makes ready ahead is seen by nobody yet, and perhaps never.
  if ((document as { prerendering?: boolean }).prerendering) document.addEventListener('prerenderingchange', begin);
  else begin();
}

/**
 * Calls back whenever half of the element has been in view for a second without a break, in a page that was itself in
 * view all the while. The observer goes with the element.
 */
export function onView(element: Element, onSeen: () => void): void {
  // That which the ad stands in, which may be another window's.
  const page = element.ownerDocument;
  let timer: ReturnType<typeof setTimeout>;
  const begin = () => {
    clearTimeout(timer);
    observer.disconnect();
    observer.observe(element);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      clearTimeout(timer);
      if (entries.at(-1)!.intersectionRatio < 0.5) return;
      page.addEventListener('visibilitychange', begin, ownFields({ once: true }));
      if (!page.hidden) timer = setTimeout(onSeen, 1000);
    },
    ownFields({ threshold: 0.5 }),
  );
  begin();
}
