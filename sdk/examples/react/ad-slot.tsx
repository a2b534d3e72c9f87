import { useEffect, useRef } from 'react';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/**
 * An ad for a conversation. A new user message, or unmounting, cancels the request and removes the old ad. React does
 * not touch the element's content, which belongs to the script.
 */
export function AdSlot({ messages }: { readonly messages: readonly Message[] }) {
  const slot = useRef<HTMLDivElement>(null);
  // Up to the last user message, so that a streaming reply causes no request. As JSON, so that React compares by
  // content.
  const asked = JSON.stringify(messages.slice(0, messages.findLastIndex(({ role }) => role === 'user') + 1));
  useEffect(() => {
    // Nobody has asked yet: the chat has no messages, or only a greeting.
    if (asked === '[]') return undefined;
    const element = slot.current!;
    const request = new AbortController();
    void window.adsdk
      ?.getAd({ messages: JSON.parse(asked) as Message[], signal: request.signal })
      .then((ad) => (request.signal.aborted ? null : window.adsdk?.render(ad, element)));
    return () => {
      request.abort();
      window.adsdk?.destroy(element);
    };
  }, [asked]);
  return <div ref={slot} />;
}
