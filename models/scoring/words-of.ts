import { foldLetters } from '../text/fold-letters.js';
import { singular } from '../text/singular.js';

/**
 * Splits a text into lower-case words without accents, stop words and plural endings. Scripts without spaces are split
 * by dictionary.
 */
export function wordsOf(text: string): string[] {
  const bare = foldLetters(text.toLowerCase());
  const plain = bare.replaceAll('’', "'").replaceAll(/'s\b/g, '').replaceAll("'", '');
  const runs = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return (WITHOUT_SPACES.test(plain) ? runs.flatMap((run) => (WITHOUT_SPACES.test(run) ? segments(run) : [run])) : runs)
    .filter((word) => !STOPWORDS.has(word))
    .map(singular);
}

/** Words that say nothing about a text's topic. */
export const STOPWORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be because been but by can could did do does doing done for from get go got had has have ' +
    'he her here hers him his how i if in into is it its just know let like ll make me more most my need new no not now of off ok okay on one ' +
    'only or our out over own please re really s she should so some t than thank thanks that the their them then there these they thing this ' +
    'those to too try up us use ve very want was way we well were what when where which while who why will with without would yes yeah you ' +
    'your user assistant hi hello hey help id im ive youd youll youre youve hes shes weve theyre theyve lets thats whats wheres theres heres ' +
    'arent cant couldnt didnt doesnt dont hadnt havent hasnt isnt shouldnt wasnt werent wont wouldnt'
  ).split(' '),
);

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

/** Returns words of at least two letters. Most shorter ones are particles or endings. */
function segments(run: string): string[] {
  return Array.from(segmenter.segment(run), ({ segment }) => segment).filter((word) => word.length > 1);
}
