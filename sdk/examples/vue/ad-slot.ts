import { defineComponent, h, ref, watchPostEffect } from 'vue';

/** An ad for a context; a new context, or leaving the page, cancels the request and takes the old ad away. */
export const AdSlot = defineComponent({
  props: { context: { type: String, required: true } },
  setup(props) {
    const slot = ref<HTMLElement>();
    watchPostEffect((onCleanup) => {
      const element = slot.value!;
      const turn = new AbortController();
      onCleanup(() => {
        turn.abort();
        window.adsdk?.destroy(element);
      });
      void window.adsdk
        ?.getAd({ context: props.context, signal: turn.signal })
        .then((ad) => (turn.signal.aborted ? null : window.adsdk?.render(ad, element)));
    });
    return () => h('div', { ref: slot });
  },
});
