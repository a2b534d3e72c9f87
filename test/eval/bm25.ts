/**
 * Ranks documents by BM25 (Robertson and Zaragoza, 2009) over whole texts with k1 1.2 and b 0.75: the baseline that any
 * semantic matching has to beat. Only for comparison; the product does not use it.
 *
 * @returns a function from a query to every document's score, by position
 */
export function bm25(documents: readonly string[]): (query: string) => Float64Array {
  const k1 = 1.2;
  const b = 0.75;
  const tokens = documents.map(words);
  const average = tokens.reduce((total, list) => total + list.length, 0) / Math.max(1, tokens.length);
  const postings = new Map<string, Map<number, number>>();
  for (const [document, list] of tokens.entries()) {
    for (const word of list) {
      const counts = postings.get(word) ?? new Map<number, number>();
      postings.set(word, counts.set(document, (counts.get(document) ?? 0) + 1));
    }
  }
  return (query) => {
    const scores = new Float64Array(documents.length);
    for (const word of words(query)) {
      const counts = postings.get(word);
      if (counts === undefined) continue;
      const idf = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [document, count] of counts) {
        const length = 1 - b + (b * tokens[document]!.length) / average;
        scores[document]! += (idf * count * (k1 + 1)) / (count + k1 * length);
      }
    }
    return scores;
  };
}

const COMMON = new Set(
  (
    'a about above after again all am an and any are as at be because been before being below between both but by can could did do does ' +
    'doing don down during each few for from further get had has have he her here hers him his how i if in into is it its just like ll m me ' +
    'more most my need no nor not now of off on once only or other our out over own please re s same she should so some such t than that the ' +
    'their them then there these they this those through to too under until up ve very want was we were what when where which while who whom ' +
    'why will with would you your'
  ).split(' '),
);

/** Splits a text into words, without role marks, the most common words and word endings. */
function words(text: string): string[] {
  const plain = text.replaceAll(/^(User|Assistant):/gm, '').toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word)).map(stem);
}

function stem(word: string): string {
  return word.replace(/(?<=...)(ing|edly|ed|ies|es|s|ly)$/u, '');
}
