/**
 * Finds texts in a JSON value that are not well-formed Unicode: they contain a lone surrogate, which JSON can express
 * as `\ud83d`. Such a text fails when it is converted to bytes or put in a URL. Not recursive, because an untrusted
 * value may be nested a hundred thousand levels deep.
 *
 * @param max how many to find before stopping
 * @returns dotted paths of such texts, or of the object that has such a key; empty for the value itself
 */
export function findIllFormedText(value: unknown, max = 20): string[] {
  const found: string[] = [];
  const waiting: (readonly [field: string, value: unknown])[] = [['', value]];
  for (let next = waiting.pop(); next !== undefined && found.length < max; next = waiting.pop()) {
    const [field, held] = next;
    if (typeof held === 'string') {
      if (!held.isWellFormed()) found.push(field);
    } else if (typeof held === 'object' && held !== null) {
      const below = field === '' ? '' : `${field}.`;
      // A stack: reversing the entries keeps the order of the value.
      for (const [key, inner] of Object.entries(held).toReversed()) {
        if (key.isWellFormed()) waiting.push([below + key, inner]);
        else found.push(field);
      }
    }
  }
  return found;
}

/** The message about such a text, after the name of its field. */
export const ILL_FORMED = 'must be well-formed Unicode: it contains a lone surrogate (half a character)';

/**
 * Returns whether a text from a command line, an environment or a form is what was typed: bytes that are not UTF-8
 * arrive as U+FFFD, and lone surrogates cannot arrive at all.
 */
export function isReadable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\ufffd');
}
