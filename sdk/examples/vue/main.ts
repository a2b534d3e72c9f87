import { createApp, defineComponent, h, ref } from 'vue';
import { AdSlot } from './ad-slot.js';

const Chat = defineComponent({
  setup() {
    const turns = ref<string[]>([]);
    const send = (event: Event) => {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      turns.value.push(new FormData(form).get('message') as string);
      form.reset();
    };
    return () =>
      h('main', [
        h('h1', 'Adjacent in Vue'),
        h(
          'ol',
          turns.value.map((turn) => h('li', turn)),
        ),
        turns.value.length > 0 ? h(AdSlot, { context: turns.value.join('\n') }) : null,
        h('form', { onSubmit: send }, [
          h('label', ['Message ', h('input', { name: 'message', required: true })]),
          h('button', 'Send'),
        ]),
      ]);
  },
});

window.adsdk?.init({ apiKey: '%KEY%' });
createApp(Chat).mount('#app');
