/** A piece of HTML that is safe to stand in a page. Made by `html` only. */
export class Html {
  constructor(private readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

type Part = string | Html | readonly Html[];

/** A template tag: text put in is escaped, HTML put in stays, lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + write(parts[index] ?? '')).join(''));
}

html.escape = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Vouches for a text of our own. */
html.raw = (text: string): Html => new Html(text);

function write(part: Part): string {
  if (typeof part === 'string') return html.escape(part);
  return part instanceof Html ? part.toString() : part.join('');
}
