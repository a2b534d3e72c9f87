import { foldLetters } from './fold-letters.js';
import { singular } from './singular.js';

/** Finds words and phrases in what was said, regardless of case, accents, punctuation and English plural endings. */
export interface PhraseSearch {
  /**
   * Returns whether one of the phrases was said: its words, one after another. In scripts without spaces, such as
   * Chinese, the characters of a phrase are found inside longer words too.
   *
   * @param phrases split into words at the first search, and remembered as long as the list exists
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
      said ??= read(texts());
      return splitOnce(phrases).some((phrase) => isSaid(phrase, said!));
    },
  };
}

/** Texts as words between single spaces, and the set of their words, which rules out most phrases at once. */
interface Said {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

interface Phrase {
  readonly words: readonly string[];
  readonly hasSpaces: boolean;
}

const known = new WeakMap<readonly string[], readonly Phrase[]>();

function splitOnce(phrases: readonly string[]): readonly Phrase[] {
  const before = known.get(phrases);
  if (before !== undefined) return before;
  const split = phrases.map((phrase) => ({ words: plainWords(phrase), hasSpaces: !WITHOUT_SPACES.test(phrase) }));
  const some = split.filter(({ words }) => words.length > 0);
  known.set(phrases, some);
  return some;
}

function read(texts: readonly string[]): Said {
  const each = texts.map(plainWords);
  return { text: each.map((words) => ` ${words.join(' ')} `).join('\n'), words: new Set(each.flat()) };
}

function isSaid({ words: own, hasSpaces }: Phrase, { text, words }: Said): boolean {
  const phrase = own.join(' ');
  if (!hasSpaces) return text.includes(phrase);
  return own.every((word) => words.has(word)) && text.includes(` ${phrase} `);
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Splits a text into lower-case words without accents and plural endings. */
function plainWords(text: string): string[] {
  const plain = foldLetters(text.normalize('NFKC').toLowerCase());
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(singular);
}
