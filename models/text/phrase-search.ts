import { foldLetters } from './fold-letters.js';
import { singular } from './singular.js';

/** Finds words and phrases in what was said, regardless of case, accents, punctuation and English plural endings. */
export interface PhraseSearch {
  /**
   * Returns whether one of the phrases was said: its words, one after another. In scripts without spaces, such as
   * Chinese, the characters of a phrase are found inside longer words too.
   *
   * @param phrases made plain at the first search, and remembered as long as the list exists
   */
  hasAny(phrases: readonly string[]): boolean;
}

/**
 * Creates a search in several texts. No phrase is found across two of them.
 *
 * @param texts called at the first search, since most conversations need none
 */
export function createPhraseSearch(texts: () => readonly string[]): PhraseSearch {
  let said: Said | undefined;
  return {
    hasAny(phrases) {
      said ??= new Said(texts());
      return readOnce(phrases).some((phrase) => said!.has(phrase));
    },
  };
}

interface Phrase {
  /** Words between single spaces. */
  readonly text: string;
  readonly hasSpaces: boolean;
}

/** By list of a creative, which no one changes. */
const known = new WeakMap<readonly string[], readonly Phrase[]>();

function readOnce(phrases: readonly string[]): readonly Phrase[] {
  const before = known.get(phrases);
  if (before !== undefined) return before;
  const texts = phrases.map((phrase) => plainWords(phrase).join(' ')).filter((text) => text !== '');
  const read = texts.map((text) => ({ text, hasSpaces: !WITHOUT_SPACES.test(text) }));
  known.set(phrases, read);
  return read;
}

/**
 * How many phrases are searched for in the whole text, each of which takes up to 0.2 ms. Others are ruled out by a pair
 * of words or characters that was not said, so that a real conversation needs hardly any.
 */
const MAX_SEARCHES = 50;

class Said {
  readonly #wordsOfTexts: readonly (readonly string[])[];
  /** Words between single spaces, a line for each text. */
  readonly #text: string;
  readonly #words: ReadonlySet<string>;
  #pairsOfWords: ReadonlySet<string> | undefined;
  /** Characters, and pairs of them. */
  #characters: ReadonlySet<string> | undefined;
  /** Phrases that were searched for in the whole text: whether they were found. */
  readonly #searched = new Map<string, boolean>();

  constructor(texts: readonly string[]) {
    this.#wordsOfTexts = texts.map(plainWords);
    this.#text = this.#wordsOfTexts.map((words) => ` ${words.join(' ')} `).join('\n');
    this.#words = new Set(this.#wordsOfTexts.flat());
  }

  has({ text, hasSpaces }: Phrase): boolean {
    return hasSpaces ? this.#hasWords(text) : this.#hasCharacters(text);
  }

  #hasWords(phrase: string): boolean {
    if (!phrase.includes(' ')) return this.#words.has(phrase);
    const words = phrase.split(' ');
    if (!words.every((word) => this.#words.has(word))) return false;
    const pairs = (this.#pairsOfWords ??= new Set(this.#wordsOfTexts.flatMap(pairsOf)));
    return pairsOf(words).every((pair) => pairs.has(pair)) && (words.length === 2 || this.#search(` ${phrase} `));
  }

  #hasCharacters(phrase: string): boolean {
    const characters = (this.#characters ??= new Set(this.#text.split('').flatMap(withNext)));
    if (phrase.length <= 2) return characters.has(phrase);
    for (let at = 2; at <= phrase.length; at++) if (!characters.has(phrase.slice(at - 2, at))) return false;
    return this.#search(phrase);
  }

  /** Beyond the limit every phrase counts as said, since its ad must not be shown if it was. */
  #search(phrase: string): boolean {
    const known = this.#searched.get(phrase);
    if (known !== undefined) return known;
    if (this.#searched.size === MAX_SEARCHES) return true;
    const isFound = this.#text.includes(phrase);
    this.#searched.set(phrase, isFound);
    return isFound;
  }
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Returns each word but the last, with the next one. */
function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`);
}

function withNext(character: string, at: number, all: readonly string[]): readonly string[] {
  return [character, `${character}${all[at + 1] ?? ''}`];
}

/** Splits a text into lower-case words without accents and plural endings. */
function plainWords(text: string): string[] {
  const plain = foldLetters(text.normalize('NFKC').toLowerCase());
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(singular);
}
