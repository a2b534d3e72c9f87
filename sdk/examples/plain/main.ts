/** A plain page: one form, one answer, one slot that `process` fills. */
const form = document.querySelector<HTMLFormElement>('#ask')!;
const answer = document.querySelector<HTMLElement>('#answer')!;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const question = new FormData(form).get('question') as string;
  answer.textContent = `You asked: ${question}`;
  // Ad blockers may block the script; with `?.` the page works without it.
  window.adsdk?.init({ apiKey: '%KEY%' });
  void window.adsdk?.process({ context: question });
});
