/** Deepest nesting of a transcript: a list of messages in an object, with parts that hold parts, needs six. */
const MAX_DEPTH = 32;

/** Most values of a transcript: enough for 4,000 messages of a role and a text. */
const MAX_VALUES = 20_000;

/**
 * Returns whether a text could be a transcript by its brackets, commas and colons. `JSON.parse` takes up to 60 ms of the
 * event loop for 250,000 of them, above all if they do not match; this takes one, whatever the text.
 */
export function isPlainJson(text: string): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case '[':
      case '{':
        if (++depth > MAX_DEPTH || ++values > MAX_VALUES) return false;
        break;
      case ']':
      case '}':
        if (--depth < 0) return false;
        break;
      case ',':
      case ':':
        if (++values > MAX_VALUES) return false;
    }
  }
  return depth === 0;
}

/** Returns the index of the quote that ends the string that begins at this one; the text's length if none does. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
