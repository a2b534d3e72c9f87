import { useEffect, useRef } from 'react';

/**
 * An ad for a context. A new context, or leaving the page, cancels the request and takes the old ad away; React keeps its
 * hands off the element's content, which is the script's.
 */
export function AdSlot({ context }: { readonly context: string }) {
  const slot = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = slot.current!;
    const turn = new AbortController();
    void window.adsdk
      ?.getAd({ context, signal: turn.signal })
      .then((ad) => (turn.signal.aborted ? null : window.adsdk?.render(ad, element)));
    return () => {
      turn.abort();
      window.adsdk?.destroy(element);
    };
  }, [context]);
  return <div ref={slot} />;
}
