const SENTENCE_END = /[.!?…](?=\s)|[。！？]/gu;

/**
 * Shortens a text that is longer than an ad's: behind the last sentence that fits if that keeps half of the length, else
 * behind the last word, with an ellipsis.
 *
 * @param max length in UTF-16 code units, as in the limits of a feed
 */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const sentences = [...text.slice(0, max + 1).matchAll(SENTENCE_END)].map((end) => end.index + end[0].length);
  const sentence = sentences.findLast((end) => end <= max) ?? 0;
  if (sentence >= max / 2) return text.slice(0, sentence);
  const word = text.lastIndexOf(' ', max - 1);
  const cut = text.slice(0, word >= max / 2 ? word : max - 1);
  // Half of a character would be a fault.
  return `${cut.replace(/[\ud800-\udbff]$/, '').replace(/[\s,;:–-]+$/, '')}…`;
}
