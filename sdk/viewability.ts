import { own } from './own.js';

/**
 * Calls back once half of the element has been in view for a second without a break, in a page that is itself in view.
 * The observer goes with the element.
 */
export function onView(element: Element, seen: () => void): void {
  let timer: ReturnType<typeof setTimeout>;
  const observer = new IntersectionObserver(
    (entries) => {
      clearTimeout(timer);
      if (entries.at(-1)!.intersectionRatio < 0.5) return;
      timer = setTimeout(() => {
        observer.disconnect();
        // A hidden tab is told of nothing until it shows again: begin anew then.
        if (document.hidden) observer.observe(element);
        else seen();
      }, 1000);
    },
    own({ threshold: 0.5 }),
  );
  observer.observe(element);
}
