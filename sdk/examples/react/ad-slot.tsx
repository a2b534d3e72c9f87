import { useEffect, useRef } from 'react';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/**
 * An ad for a conversation. Another message of the user's, or leaving the page, cancels the request and takes the old ad
 * away; React keeps its hands off the element's content, which is the script's.
 */
export function AdSlot({ messages }: { readonly messages: readonly Message[] }) {
  const slot = useRef<HTMLDivElement>(null);
  // Up to the user's last message: a reply that streams in makes no request. As JSON, which React compares by content.
  const asked = JSON.stringify(messages.slice(0, messages.findLastIndex(({ role }) => role === 'user') + 1));
  useEffect(() => {
    const element = slot.current!;
    const turn = new AbortController();
    void window.adsdk
      ?.getAd({ messages: JSON.parse(asked) as Message[], signal: turn.signal })
      .then((ad) => (turn.signal.aborted ? null : window.adsdk?.render(ad, element)));
    return () => {
      turn.abort();
      window.adsdk?.destroy(element);
    };
  }, [asked]);
  return <div ref={slot} />;
}
