import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { AdSlot } from './ad-slot.js';

function Chat() {
  const [turns, setTurns] = useState<readonly string[]>([]);
  const send = (form: FormData) => setTurns([...turns, form.get('message') as string]);
  return (
    <main>
      <h1>Adjacent in React</h1>
      <ol>
        {turns.map((turn, at) => (
          <li key={at}>{turn}</li>
        ))}
      </ol>
      {turns.length > 0 && <AdSlot context={turns.join('\n')} />}
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
