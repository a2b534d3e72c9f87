import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldLetters } from './fold-letters.js';
import { singular } from './singular.js';

/**
 * The phrases of many lists, such as the negative keywords of a catalogue, by what they begin with. A search takes
 * time by the length of what is said, whatever the number of phrases: asking for each phrase of 1,500 lists of a
 * hundred took 800 ms.
 */
export interface PhraseIndex {
  /**
   * Searches several texts, regardless of case, accents, punctuation and English plural endings. A phrase is found if
   * its words were said one after another, and never across two texts. In scripts without spaces, such as Chinese, the
   * characters of a phrase are found inside longer words too. Yields to the event loop at intervals.
   *
   * @param texts called only if there are phrases
   */
  search(texts: () => readonly string[]): Promise<PhraseSearch>;
}

/** What a search has found. */
export interface PhraseSearch {
  /** Returns whether a phrase of an indexed list was said. @param phrases the list itself; a copy counts as said */
  hasAny(phrases: readonly string[]): boolean;
}

/** Phrases read, or places searched, between two turns of the event loop: a few milliseconds. */
const AT_ONCE = 1000;

/**
 * Indexes lists of phrases, which no one may change afterwards. Yields to the event loop at intervals.
 *
 * @param lists undefined: no list, so that a million creatives without one do not hold the event loop
 */
export async function indexPhrases(lists: Iterable<readonly string[] | undefined>): Promise<PhraseIndex> {
  const index = new Index();
  /** By phrase as it is written. */
  const read = new Map<string, number | null>();
  let done = 0;
  for (const phrases of lists) {
    if (phrases !== undefined) index.add(phrases, read);
    done += 1 + 20 * (phrases?.length ?? 0);
    if (done < 20 * AT_ONCE) continue;
    done = 0;
    await nextTurn();
  }
  return index;
}

class Index implements PhraseIndex {
  /** By list: the numbers of its phrases. */
  readonly #lists = new Map<readonly string[], Uint32Array>();
  readonly #ofWords = new Beginnings();
  readonly #ofCharacters = new Beginnings();
  #count = 0;

  add(phrases: readonly string[], read: Map<string, number | null>): void {
    const numbers = phrases.map((phrase) => {
      const known = read.get(phrase);
      if (known !== undefined) return known;
      const number = this.#number(plainWords(phrase));
      read.set(phrase, number);
      return number;
    });
    this.#lists.set(phrases, Uint32Array.from(numbers.filter((number) => number !== null)));
  }

  /** Returns a phrase's number; null: it has no letters. */
  #number(words: readonly string[]): number | null {
    if (words.length === 0) return null;
    const text = words.join(' ');
    const ofCharacters = WITHOUT_SPACES.test(text);
    const number = ofCharacters
      ? this.#ofCharacters.add(charactersOf(text), this.#count)
      : this.#ofWords.add(wordsIn(words), this.#count);
    if (number === this.#count) this.#count++;
    return number;
  }

  async search(texts: () => readonly string[]): Promise<PhraseSearch> {
    const said = new Set<number>();
    let done = 0;
    for (const words of this.#count === 0 ? [] : texts().map(plainWords)) {
      for (const number of this.#foundIn(words)) {
        if (number !== undefined) said.add(number);
        if (++done % AT_ONCE === 0) await nextTurn();
      }
    }
    const lists = this.#lists;
    return {
      hasAny(phrases) {
        const numbers = lists.get(phrases);
        return numbers === undefined || (said.size > 0 && numbers.some((number) => said.has(number)));
      },
    };
  }

  *#foundIn(words: readonly string[]): Iterable<number | undefined> {
    yield* this.#ofWords.foundIn(wordsIn(words));
    const text = words.join(' ');
    if (this.#ofCharacters.size > 0 && WITHOUT_SPACES.test(text)) yield* this.#ofCharacters.foundIn(charactersOf(text));
  }
}

/** A text as a row of words or characters. */
interface Units {
  readonly length: number;
  /** Returns the text from one unit to before another. */
  between(from: number, to: number): string;
}

/** Phrases of words or of characters, found by their first two. */
class Beginnings {
  readonly #numbers = new Map<string, number>();
  /** By the first two units: how many units the phrases have that begin so. */
  readonly #lengths = new Map<string, number[]>();

  get size(): number {
    return this.#numbers.size;
  }

  /** Returns the number of a phrase: the given one if it is new. */
  add(phrase: Units, number: number): number {
    const text = phrase.between(0, phrase.length);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, number);
    if (phrase.length === 1) return number;
    const beginning = phrase.between(0, 2);
    const lengths = this.#lengths.get(beginning);
    if (lengths === undefined) this.#lengths.set(beginning, [phrase.length]);
    else if (!lengths.includes(phrase.length)) lengths.push(phrase.length);
    return number;
  }

  /** Yields for each place at which a phrase may begin or end its number, if it was said. */
  *foundIn(text: Units): Iterable<number | undefined> {
    for (let at = 0; at < text.length; at++) {
      yield this.#numbers.get(text.between(at, at + 1));
      if (at + 2 > text.length) return;
      for (const length of this.#lengths.get(text.between(at, at + 2)) ?? []) {
        yield at + length > text.length ? undefined : this.#numbers.get(text.between(at, at + length));
      }
    }
  }
}

function wordsIn(words: readonly string[]): Units {
  const text = words.join(' ');
  const starts: number[] = [];
  let start = 0;
  for (const word of words) {
    starts.push(start);
    start += word.length + 1;
  }
  starts.push(start);
  return { length: words.length, between: (from, to) => text.slice(starts[from], starts[to]! - 1) };
}

function charactersOf(text: string): Units {
  return { length: text.length, between: (from, to) => text.slice(from, to) };
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Splits a text into lower-case words without accents and plural endings. */
function plainWords(text: string): string[] {
  const plain = foldLetters(text.normalize('NFKC').toLowerCase());
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(singular);
}
