import { said } from './language.js';

/** The dialog "Put it on your page": the snippet with this server's address and the demo's key in it. */
export function offerSnippet(apiKey) {
  const dialog = document.getElementById('snippet');
  const code = document.getElementById('code');
  const copied = document.getElementById('copied');
  code.textContent = snippet(new URL('sdk/adsdk.js', document.baseURI).href, apiKey);
  document.getElementById('open-snippet').addEventListener('click', () => {
    copied.textContent = '';
    dialog.showModal();
  });
  document.getElementById('copy').addEventListener('click', () => {
    const tell = (text) => () => (copied.textContent = text);
    const refused = tell(said().refused);
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(tell(said().copied), refused);
    else refused();
  });
}

const snippet = (script, apiKey) => `<script src="${script}"></script>
<div id="ad"></div>
<script>
  window.adsdk?.init({ apiKey: "${apiKey}", disclosure: true });

  // When the user has sent a message; messages: [{ role: "user", content: "…" }, …]
  async function answer(messages, signal) {
    const ad = window.adsdk?.getAd({ messages, signal });
    window.adsdk?.destroy(document.getElementById("ad")); // that of the turn before
    await writeReply(messages); // your assistant
    if (!signal.aborted) window.adsdk?.render(await ad, document.getElementById("ad"));
  }
</script>`;
