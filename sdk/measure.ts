import { ownFields } from './own-fields.js';

/**
 * Loads a pixel once per URL and page, even if the page has loaded the script twice or in both builds. A failed pixel
 * (the server could not store the event, the network was down, or a blocker stopped it) is retried once; the server
 * counts a request id once. On a prerendered page it loads when the page is shown, unless the ad has been removed by
 * then.
 *
 * @param host the ad's element: if it is not in the page, the pixel is not loaded
 * @param onLoad called when the pixel has been loaded
 */
export function loadOnce(url: string, host: Element, onLoad: () => void): void {
  const loaded = ((globalThis as unknown as Record<symbol, Set<string>>)[Symbol.for('adsdk')] ??= new Set());
  const load = () => {
    const pixel = new Image();
    // Without the cookies that other services of the same site have set.
    pixel.crossOrigin = '';
    pixel.addEventListener('load', onLoad);
    pixel.src = url;
    return pixel;
  };
  const begin = () => {
    if (loaded.has(url) || !host.isConnected) return;
    loaded.add(url);
    load().addEventListener('error', () => setTimeout(load, 1000));
  };
  // A prerendered page is not visible yet, and may never be.
  if ((document as { prerendering?: boolean }).prerendering) document.addEventListener('prerenderingchange', begin);
  else begin();
}

/**
 * Calls back whenever the element comes into view, and whenever half of it has been in view for one continuous second,
 * while the page itself was visible. The observer is garbage-collected with the element.
 */
export function onView(element: Element, onEnter: () => void, onSeen: () => void): void {
  // The ad's own document, which may belong to another window.
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
      // An ad that has left the page would be kept in memory by the listener.
      page.removeEventListener('visibilitychange', begin);
      const { isIntersecting, intersectionRatio } = entries.at(-1)!;
      if (isIntersecting) onEnter();
      if (intersectionRatio < 0.5) return;
      page.addEventListener('visibilitychange', begin);
      if (!page.hidden) timer = setTimeout(onSeen, 1000);
    },
    // At 0 it comes into view.
    ownFields({ threshold: [0, 0.5] }),
  );
  begin();
}
