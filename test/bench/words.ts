import { commonWords } from '../../models/scoring/document-frequencies.js';
import { buildWordIndex, type WordIndex } from '../../models/scoring/word-index.js';
import { randomNumbers } from '../support/plausible-month.js';
import { mainThreadTime } from './processor-time.js';
import { duration, quantile, table } from './table.js';

/** Different words, besides model numbers. */
const VOCABULARY = 400_000;
const QUERIES = 400;

/**
 * Measures the index of rare words over made-up texts of some forty words, half of them with a model number that no
 * other has: how long a thread takes to build it, what it costs the event loop meanwhile, and looking words up.
 */
export async function benchWords(size = 1_000_000): Promise<string> {
  const random = randomNumbers(7);
  const vocabulary = makeVocabulary(random);
  // Words are as frequent as their rank is low (Zipf).
  const word = (): string => vocabulary[Math.floor(VOCABULARY ** random()) - 1]!;
  const words = (count: number): string => Array.from({ length: count }, word).join(' ');
  const model = (): string => (random() < 0.5 ? ` ${makeModel(random)}` : '');
  const texts = Array.from({ length: size }, () => `${words(5)}${model()} ${words(20 + Math.floor(random() * 16))}`);

  const watch = watchTurns();
  const begun = { clock: performance.now(), loop: mainThreadTime(process.pid) };
  const index = await buildWordIndex(texts, { inThread: true });
  const [clock, loop] = [performance.now() - begun.clock, mainThreadTime(process.pid) - begun.loop];
  const longest = watch.end();

  const queries = Array.from(
    { length: QUERIES },
    () => `${texts[Math.floor(random() * size)]!.slice(0, 60)} ${words(20)}`,
  );
  const took = queries.map((query) => lookUp(index, query)).slice(QUERIES / 4);
  return table(
    [`${size.toLocaleString('en')} texts`, 'by the clock', 'processor time of the event loop'],
    [
      ['index built in a thread', duration(clock), duration(loop)],
      ['· longest turn of the event loop', duration(longest.clock), duration(longest.loop)],
      ['words of a conversation looked up, p50', duration(quantile(took, 0.5)), ''],
      ['· p99', duration(quantile(took, 0.99)), ''],
    ],
  );
}

interface Turn {
  readonly clock: number;
  readonly loop: number;
}

/** Measures the longest time between two timers of a millisecond, from now on: waiting for a core counts by the clock. */
function watchTurns(): { end(): Turn } {
  let longest: Turn = { clock: 0, loop: 0 };
  let last: Turn = { clock: performance.now(), loop: mainThreadTime(process.pid) };
  const timer = setInterval(() => {
    const now: Turn = { clock: performance.now(), loop: mainThreadTime(process.pid) };
    longest = {
      clock: Math.max(longest.clock, now.clock - last.clock),
      loop: Math.max(longest.loop, now.loop - last.loop),
    };
    last = now;
  }, 1);
  return {
    end() {
      clearInterval(timer);
      return longest;
    },
  };
}

function lookUp(index: WordIndex, query: string): number {
  const begun = performance.now();
  index.find(query);
  return performance.now() - begun;
}

/** Common English words first, then words of some syllables. */
function makeVocabulary(random: () => number): string[] {
  const pick = (letters: string): string => letters[Math.floor(random() * letters.length)]!;
  const syllable = (): string => pick('bcdfghjklmnprstvwz') + pick('aeiou');
  const made = (): string => Array.from({ length: 2 + Math.floor(random() * 4) }, syllable).join('') + pick('nrstlxm');
  const common = commonWords();
  return [...common, ...Array.from({ length: VOCABULARY - common.length }, made)];
}

function makeModel(random: () => number): string {
  return Math.floor(random() * 36 ** 8)
    .toString(36)
    .padStart(8, 'x');
}
