import { ownFields } from './own-fields.js';

/**
 * Loads a pixel the first time its URL is asked for on this page and never again, also where the page has loaded the
 * script twice or in both its builds. A pixel that failed (the server could not store the event, or the network was
 * away) is tried once more: the server counts a request id once. A page that the browser prerenders loads it when it is shown.
 *
 * @returns whether this was the first time
 */
export function loadOnce(url: string): boolean {
  const page = globalThis as unknown as Record<symbol, Set<string> | undefined>;
  const loaded = (page[Symbol.for('adsdk')] ??= new Set());
  if (loaded.has(url)) return false;
  loaded.add(url);
  const load = () => {
    const pixel = new Image();
    pixel.src = url;
    return pixel;
  };
  const begin = () => load().addEventListener('error', () => setTimeout(load, 1000));
  // A page that the browser makes ready ahead is seen by nobody yet, and perhaps never.
  if ((document as { prerendering?: boolean }).prerendering) document.addEventListener('prerenderingchange', begin);
  else begin();
  return true;
}

/**
 * Calls back once half of the element has been in view for a second without a break, in a page that is itself in view.
 * The observer goes with the element.
 */
export function onView(element: Element, onSeen: () => void): void {
  let timer: ReturnType<typeof setTimeout>;
  const observer = new IntersectionObserver(
    (entries) => {
      clearTimeout(timer);
      if (entries.at(-1)!.intersectionRatio < 0.5) return;
      timer = setTimeout(() => {
        observer.disconnect();
        // A hidden tab gets no notification until it shows again: start over then.
        if (document.hidden) observer.observe(element);
        else onSeen();
      }, 1000);
    },
    ownFields({ threshold: 0.5 }),
  );
  observer.observe(element);
}
