import { ownFields } from './own-fields.js';

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
