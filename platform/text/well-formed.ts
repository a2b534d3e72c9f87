/**
 * Looks through a JSON value for texts that are not well-formed Unicode: half a character (a lone surrogate), which JSON
 * can write as `\ud83d`. Such a text fails wherever it becomes bytes or an address. Not recursive: a stranger's value may
 * be a hundred thousand lists deep.
 *
 * @param most after so many it stops looking
 * @returns dotted paths of such texts, or of the object that has one as a key; empty for the whole
 */
export function findIllFormedText(value: unknown, most = 20): string[] {
  const found: string[] = [];
  const waiting: (readonly [field: string, value: unknown])[] = [['', value]];
  for (let next = waiting.pop(); next !== undefined && found.length < most; next = waiting.pop()) {
    const [field, held] = next;
    if (typeof held === 'string') {
      if (!held.isWellFormed()) found.push(field);
    } else if (typeof held === 'object' && held !== null) {
      const below = field === '' ? '' : `${field}.`;
      // Last in, first out: what comes first in the value is looked at first.
      for (const [key, inner] of Object.entries(held).toReversed()) {
        if (key.isWellFormed()) waiting.push([below + key, inner]);
        else found.push(field);
      }
    }
  }
  return found;
}

/** What to say of such a text, behind its field. */
export const ILL_FORMED = 'must be whole characters: it holds half of one (a lone surrogate)';

/**
 * Whether a text from a command line, an environment or a form is what was typed: bytes that are no UTF-8 come in as
 * U+FFFD, and lone surrogates cannot.
 */
export function isReadable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\ufffd');
}
