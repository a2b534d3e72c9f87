import { createApp, defineComponent, h, ref } from 'vue';
import { AdSlot, type Message } from './ad-slot.js';

const GREETING: Message = { role: 'assistant', content: 'Hello! What can I do for you?' };

const Chat = defineComponent({
  setup() {
    const messages = ref<Message[]>([GREETING]);
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
        h(AdSlot, { messages: messages.value }),
        h('form', { onSubmit: send }, [
          h('label', ['Message ', h('input', { name: 'message', required: true })]),
          h('button', 'Send'),
        ]),
      ]);
  },
});

window.adsdk?.init({ apiKey: '%KEY%' });
createApp(Chat).mount('#app');
