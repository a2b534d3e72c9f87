import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { AdSlot, type Message } from './ad-slot.js';

const GREETING: Message = { role: 'assistant', content: 'Hello! What can I do for you?' };

function Chat() {
  const [messages, setMessages] = useState<readonly Message[]>([GREETING]);
  const send = (form: FormData) => {
    const content = form.get('message') as string;
    // The second message is the assistant's reply, updated as it streams in.
    setMessages([...messages, { role: 'user', content }, { role: 'assistant', content: `You said: ${content}` }]);
  };
  return (
    <main>
      <h1>Adjacent in React</h1>
      <ol>
        {messages.map(({ content }, at) => (
          <li key={at}>{content}</li>
        ))}
      </ol>
      <AdSlot messages={messages} />
      <form action={send}>
        <label>
          Message <input name="message" required />
        </label>
        <button>Send</button>
      </form>
    </main>
  );
}

window.adsdk?.init({ apiKey: '%KEY%' });
createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
