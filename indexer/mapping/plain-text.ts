import sax from 'sax';

/** HTML's named entities, such as `eacute`. */
const { ENTITIES } = sax.parser(true);

/** Elements whose content is no text. */
const HIDDEN = /^(script|style)$/i;
/** Elements within a sentence, around which nothing is separated. */
const INLINE = /^(a|abbr|b|big|code|del|em|font|i|ins|mark|q|s|small|span|strike|strong|sub|sup|u)$/i;
const TAG = /<\/?([a-z][\w:-]*)(?:[\s/][^<>]*)?>/iy;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,9}));/gi;
/** White space, also as WooCommerce writes line breaks (`\n`), control characters and overrides of the text direction. */
const BLANKS = /(?:\\n|[\s\p{Cc}\u202d\u202e])+/gu;

/**
 * Returns the text that a browser would show of a cell, on one line: without tags, comments, scripts and styles, and
 * with entities decoded once. Takes linear time.
 */
export function plainText(html: string): string {
  const text = html.includes('<') ? withoutMarkup(html) : html;
  return text.replace(ENTITY, decoded).replace(BLANKS, ' ').trim();
}

function withoutMarkup(html: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const markup = markupAt(html, at);
    if (markup === null) at++;
    else {
      kept.push(html.slice(from, at), markup.separator);
      at = from = markup.end;
    }
  }
  return kept.join('') + html.slice(from);
}

/** Returns where the markup at an offset ends; null: what is there is text, such as 5 < 6. */
function markupAt(html: string, at: number): { readonly end: number; readonly separator: string } | null {
  if (html.startsWith('<!--', at)) return { end: endBehind(html, '-->', at), separator: '' };
  TAG.lastIndex = at;
  const [tag, name = ''] = TAG.exec(html) ?? [];
  if (tag === undefined) return null;
  const end = at + tag.length;
  if (HIDDEN.test(name) && !tag.startsWith('</')) return { end: endBehind(html, '</', end), separator: ' ' };
  return { end, separator: INLINE.test(name) ? '' : ' ' };
}

/** Returns the offset behind a mark, or the end of the text if there is none. */
function endBehind(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  if (at === -1) return html.length;
  return mark === '</' ? at : at + mark.length;
}

function decoded(entity: string, decimal?: string, hexadecimal?: string, name = ''): string {
  if (decimal === undefined && hexadecimal === undefined) return ENTITIES[name] ?? entity;
  const code = Number.parseInt(decimal ?? hexadecimal!, decimal === undefined ? 16 : 10);
  if (code >= 128 && code < 160) return WINDOWS[code - 128]!;
  const isCharacter = code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : '';
}

/** HTML gives the numbers of 32 control characters the meaning that they have in Windows-1252. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
