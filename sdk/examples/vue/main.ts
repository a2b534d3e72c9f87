import { createApp, defineComponent, h, ref } from 'vue';
import { AdSlot, type Message } from './ad-slot.js';

const Chat = defineComponent({
  setup() {
    const messages = ref<Message[]>([]);
    const send = (event: Event) => {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      const content = new FormData(form).get('message') as string;
      // The second message is the assistant's reply, updated as it streams in.
      messages.value.push({ role: 'user', content }, { role: 'assistant', content: `You said: ${content}` });
      form.reset();
    };
    return () =>
      h('main', [
        h('h1', 'Adjacent in Vue'),
        h(
          'ol',
          messages.value.map(({ content }) => h('li', content)),
        ),
        messages.value.length > 0 ? h(AdSlot, { messages: messages.value }) : null,
        h('form', { onSubmit: send }, [
          h('label', ['Message ', h('input', { name: 'message', required: true })]),
          h('button', 'Send'),
        ]),
      ]);
  },
});

window.adsdk?.init({ apiKey: '%KEY%' });
createApp(Chat).mount('#app');
