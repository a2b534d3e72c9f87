import { computed, defineComponent, h, ref, watchPostEffect, type PropType } from 'vue';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** An ad for a conversation. A new user message, or unmounting, cancels the request and removes the old ad. */
export const AdSlot = defineComponent({
  props: { messages: { type: Array as PropType<readonly Message[]>, required: true } },
  setup(props) {
    const slot = ref<HTMLElement>();
    // Up to the last user message, so that a streaming reply causes no request. As JSON, so that Vue compares by
    // content.
    const asked = computed(() =>
      JSON.stringify(props.messages.slice(0, props.messages.findLastIndex(({ role }) => role === 'user') + 1)),
    );
    watchPostEffect((onCleanup) => {
      // Nobody has asked yet: the chat has no messages, or only a greeting.
      if (asked.value === '[]') return;
      const element = slot.value!;
      const request = new AbortController();
      onCleanup(() => {
        request.abort();
        window.adsdk?.destroy(element);
      });
      void window.adsdk
        ?.getAd({ messages: JSON.parse(asked.value) as Message[], signal: request.signal })
        .then((ad) => (request.signal.aborted ? null : window.adsdk?.render(ad, element)));
    });
    return () => h('div', { ref: slot });
  },
});
