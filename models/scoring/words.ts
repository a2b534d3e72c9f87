/** Words that say nothing of what a text is about. */
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

const ACCENTS = /[\u0300-\u036F]/g;
// Letters that Unicode does not take apart, as people write them who have none of them on their keyboard.
const PLAIN: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe' };

/** Lower-case words without accents and without the commonest ones, plurals cut. */
export function wordsOf(text: string): string[] {
  const bare = text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(ACCENTS, '')
    .normalize('NFC')
    .replaceAll(/[øłđßæœ]/g, (letter) => PLAIN[letter]!);
  const plain = bare.replaceAll('’', "'").replaceAll(/'s\b/g, '').replaceAll("'", '');
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOPWORDS.has(word)).map(singular);
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /[sxz]es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && /[^siu]s$/.test(word) ? word.slice(0, -1) : word;
}
