/** The demo's chat: what a publisher's own page would do with the script, in the order in which it would. */
import { followLanguage, replyTo, suggestions } from './language.js';
import { offerSnippet } from './snippet.js';

const $ = (id) => document.getElementById(id);
const sdk = window.adsdk;

/** The conversation so far, as `getAd` takes it. */
let conversation = [];
let request = new AbortController();

async function start() {
  const config = await fetch('demo/config.json', { signal: AbortSignal.timeout(3000) })
    .then((response) => (response.ok ? response.json() : undefined))
    .catch(() => undefined);
  // A blocker may have stopped the script, and the key may be missing: the chat goes on without ads.
  if (config) sdk?.init({ apiKey: config.apiKey, disclosure: true });
  offerSnippet(config?.apiKey ?? 'pub_…');
}

const ready = start();

async function say(message) {
  request.abort(); // A newer turn's request cancels the older one.
  request = new AbortController();
  const { signal } = request;
  const messages = conversation; // A new one may have begun before the answer.
  $('welcome').hidden = true;
  // Moved once: to move what has the focus takes it away.
  if ($('chips').parentElement !== $('dock')) {
    const had = $('chips').contains(document.activeElement);
    $('dock').prepend($('chips'));
    if (had) $('message').focus();
  }
  messages.push({ role: 'user', content: message });
  const said = [...messages]; // Without the reply, which is there before the key may be.
  const { assistant, slot, decision } = addTurn(message);

  // The ad waits for the key, the reply for nothing.
  const ad = ready.then(() => ask(said, signal));

  const reply = replyTo(message);
  messages.push({ role: 'assistant', content: reply });
  await write(reply, assistant, signal);

  // Shown once the reply is complete, so that nothing moves while somebody reads.
  const { found, waited, reason } = await ad;
  if (signal.aborted) return;
  if (found) sdk.render(found, slot);
  decision.textContent = found
    ? `ad ${found.id} · score ${found.score.toFixed(2)} · requested early, arrived after ${waited} ms`
    : `no ad for this one (${reason ?? 'no answer'}) · ${waited} ms`;
  slot.parentElement.scrollIntoView({ block: 'end', behavior: calm.matches ? 'auto' : 'smooth' });
}

async function ask(messages, signal) {
  const asked = performance.now();
  const found = await sdk?.getAd({ messages, signal });
  return { found, waited: Math.round(performance.now() - asked), reason: lastReason };
}

let lastReason = null;
document.addEventListener('adsdk:no-fill', (event) => (lastReason = event.detail ?? 'no reason given'));
document.addEventListener('adsdk:error', (event) => (lastReason = `error: ${event.detail.code}`));

function addTurn(message) {
  const section = element('section', 'turn');
  const parts = {
    user: element('p', 'user', message),
    assistant: element('p', 'assistant'),
    slot: element('div', 'ad-slot'),
    decision: element('p', 'decision'),
  };
  parts.decision.lang = 'en';
  section.append(...Object.values(parts));
  $('log').append(section);
  return parts;
}

function element(name, className, text = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

const calm = matchMedia('(prefers-reduced-motion: reduce)');

/**
 * Word by word, or by clauses in scripts without spaces, as assistants do; at once where motion is not wanted or the next
 * turn has begun.
 */
async function write(reply, target, signal) {
  target.classList.add('writing');
  // Screen readers announce it once, when it is complete.
  $('log').setAttribute('aria-busy', 'true');
  for (const word of reply.split(/(?<=[ 、。])/)) {
    if (signal.aborted || calm.matches) break;
    target.append(word);
    target.parentElement.scrollIntoView({ block: 'end' });
    await new Promise((resume) => setTimeout(resume, 28));
  }
  if (target.textContent !== reply) target.textContent = reply;
  target.classList.remove('writing');
  if (!document.querySelector('.writing')) $('log').removeAttribute('aria-busy');
}

/** A new conversation, in the language of the page. */
function begin() {
  request.abort();
  conversation = [];
  $('log').replaceChildren();
  $('chips').replaceChildren(
    ...suggestions().map(({ label, message }) => {
      const chip = element('button', 'chip', label);
      chip.type = 'button';
      chip.addEventListener('click', () => void say(message));
      const item = document.createElement('li');
      item.append(chip);
      return item;
    }),
  );
  $('welcome').append($('chips'));
  $('welcome').hidden = false;
}

followLanguage(begin);

$('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  const message = $('message').value.trim();
  $('message').value = '';
  if (message) void say(message);
});

$('message').addEventListener('keydown', (event) => {
  // In Safari the Enter that ends an input method's composition has no `isComposing`, but key code 229.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  $('composer').requestSubmit();
});

$('details').addEventListener('change', ({ target }) =>
  document.body.classList.toggle('show-decisions', target.checked),
);
