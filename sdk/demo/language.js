/**
 * The language of the page: its texts, and what stands in for an assistant. The address keeps the choice (`#de`), so
 * that a link opens the page in its language.
 */
import english from './english.js';
import german from './german.js';
import hindi from './hindi.js';
import japanese from './japanese.js';
import spanish from './spanish.js';

/** By BCP 47 tag. Each has five answers that are written for it: there is no language model here. */
const LANGUAGES = { en: english, de: german, es: spanish, ja: japanese, hi: hindi };

const select = document.getElementById('language');

/** What the elements of index.html say, by their `data-…`: how it is put there, and the English that stands there. */
const parts = [
  ...partsOf(
    'text',
    (element) => element.textContent,
    (element, text) => (element.textContent = text),
  ),
  ...partsOf(
    'label',
    (element) => element.ariaLabel,
    (element, text) => (element.ariaLabel = text),
  ),
  ...partsOf(
    'placeholder',
    (element) => element.placeholder,
    (element, text) => (element.placeholder = text),
  ),
];

function partsOf(kind, read, put) {
  return [...document.querySelectorAll(`[data-${kind}]`)].map((element) => {
    const english = read(element);
    return (page = {}) => put(element, page[element.dataset[kind]] ?? english);
  });
}

const chosen = () => (Object.hasOwn(LANGUAGES, location.hash.slice(1)) ? location.hash.slice(1) : 'en');

/** What is said in the language of the page: `copied`, `refused`, `noAnswer`. */
export const said = () => LANGUAGES[chosen()].said;

/** Openers that show both: an ad, and none. */
export const suggestions = () => LANGUAGES[chosen()].canned;

/** @param {string} message what the visitor typed */
export const replyTo = (message) =>
  suggestions().find((canned) => canned.message === message)?.reply ?? said().noAnswer;

/** @param {() => void} begin called at once, and when another language was chosen */
export function followLanguage(begin) {
  for (const [tag, { name }] of Object.entries(LANGUAGES)) {
    const option = new Option(name, tag);
    option.lang = tag;
    select.append(option);
  }
  const follow = () => {
    document.documentElement.lang = select.value = chosen();
    for (const say of parts) say(LANGUAGES[chosen()].page);
    begin();
  };
  select.addEventListener('change', () => (location.hash = select.value));
  addEventListener('hashchange', follow);
  follow();
}
