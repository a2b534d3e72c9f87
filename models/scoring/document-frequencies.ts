import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../../models/scoring/document-frequencies.txt', import.meta.url));
let shares: ReadonlyMap<string, number> | undefined;
const usual = (): ReadonlyMap<string, number> => (shares ??= parsed(readFileSync(file, 'utf8')));
// The file omits rarer words. Half a text in ten thousand is the estimate for words that none of them has.
const RARE = 0.5 / 10_000;

/**
 * Returns the share of English texts, in (0, 1], that have a word: of 11,499 ads or, if it is more, of 20,310
 * conversations (`document-frequencies.txt`, made by `test/eval/document-frequencies.ts`).
 *
 * @param word as returned by `wordsOf`
 */
export function documentFrequency(word: string): number {
  return usual().get(word) ?? RARE;
}

/** Returns whether English texts use a word, however seldom: then it is hardly a misspelling of another. */
export function isKnownEnglishWord(word: string): boolean {
  return usual().has(word);
}

// Of the words of three letters or more in an English ad at least half are this common, in product listings mostly;
// of those in a Spanish, French, Italian, Dutch, Portuguese, German, Polish or Turkish ad less than half.
const COMMON = 8 / 10_000;

/** Returns the words that at least eight English texts in ten thousand have. */
export function commonWords(): string[] {
  return [...usual()].filter(([, share]) => share >= COMMON).map(([word]) => word);
}

/** Returns whether a text is English, judged by its words, so that `documentFrequency` says something about them. */
export function usesEnglishWords(words: readonly string[]): boolean {
  const telling = words.filter((word) => /^\p{L}{3,}$/u.test(word));
  return 2 * telling.filter((word) => documentFrequency(word) >= COMMON).length >= telling.length;
}

/** Parses lines of a share in ten thousand and the words that have it. */
function parsed(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [share, ...words] = line.split(' ');
    for (const word of words) found.set(word, Number(share) / 10_000);
  }
  return found;
}
