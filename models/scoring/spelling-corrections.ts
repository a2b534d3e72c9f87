import { distance } from 'fastest-levenshtein';
import { setImmediate as nextTurn } from 'node:timers/promises';

// Shorter words have too many neighbours, and few people mistype the first letter.
const MIN_LENGTH = 5;
// A word with more neighbours than this is a word of its own rather than a typo.
const MAX_CORRECTIONS = 3;
const BATCH = 2000;

/**
 * The rare words that an unknown one may stand for: those one typo away (a letter missing, added, wrong, or two
 * neighbours swapped: the optimal string alignment distance of 1), with the first letter right. None where an ordinary
 * word is as near, since that was probably meant, nor where more than three are. Words with digits in them are left
 * alone: another digit is another product. Prepared in batches, so that the event loop is never blocked for long.
 *
 * @returns for a word that is neither rare nor ordinary, up to three rare ones; all have five letters or more
 */
export async function createSpellingCorrections(
  rare: readonly string[],
  ordinary: ReadonlySet<string>,
): Promise<(word: string) => string[]> {
  const byKey = new Map<string, string[]>();
  for (const [at, word] of [...rare, ...ordinary].entries()) {
    if (at % BATCH === BATCH - 1) await nextTurn();
    if (!isCandidate(word)) continue;
    for (const key of keysOf(word, word.length)) {
      const list = byKey.get(key);
      if (list === undefined) byKey.set(key, [word]);
      else list.push(word);
    }
  }
  return (word) => {
    if (!isCandidate(word) || ordinary.has(word)) return [];
    const lengths = [word.length - 1, word.length, word.length + 1];
    const keys = lengths.flatMap((length) => keysOf(word, length));
    const near = keys.flatMap((key) => (byKey.get(key) ?? []).filter((other) => isOneTypo(word, other)));
    const corrections = [...new Set(near)];
    return corrections.length > MAX_CORRECTIONS || corrections.some((other) => ordinary.has(other)) ? [] : corrections;
  };
}

/**
 * One typo leaves the first letters of a word of this length as they are, or as many of the last: not quite half of it, so that
 * two letters that change places in its middle leave one side alone.
 */
function keysOf(word: string, length: number): string[] {
  const half = Math.floor((length - 1) / 2);
  return [`${word.slice(0, half)}-${length}`, `${word[0]}-${word.slice(-half)}${length}`];
}

const isCandidate = (word: string): boolean => word.length >= MIN_LENGTH && /^\p{L}+$/u.test(word);

const isOneTypo = (one: string, other: string): boolean => distance(one, other) === 1 || areSwapped(one, other);

/** Whether two neighbours that change places make one word of the other; Levenshtein counts that as two steps. */
function areSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at < one.length - 1 && `${one.slice(0, at)}${one[at + 1]}${one[at]}${one.slice(at + 2)}` === other;
}
