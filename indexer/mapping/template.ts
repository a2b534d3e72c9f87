/**
 * What a field of a creative is made of: fixed text, and the columns that fill the gaps in it. In `{Teaser|Text}` the
 * first column counts that has a value, and with an empty name, as in `{Teaser|}`, the feed may lack the column.
 */
export interface Template {
  readonly parts: readonly (string | readonly string[])[];
}

const GAP = /\{([^{}]+)\}/;

/** Parses a template such as `https://shop.example/{Handle}`. */
export function parseTemplate(text: string): Template {
  const parts = text.split(GAP).map((part, at) => (at % 2 === 0 ? part : part.split('|').map((name) => name.trim())));
  return { parts: parts.filter((part) => part !== '') };
}

/** Returns the gaps of a template, each with the columns that may fill it. */
export function gapsOf({ parts }: Template): readonly (readonly string[])[] {
  return parts.filter((part) => typeof part !== 'string');
}

/**
 * Fills a template. The result is empty if it has columns and none of them has a value: an address without its last part
 * would lead elsewhere.
 *
 * @param cellOf the row's value of a column, without surrounding spaces; empty if it has none
 */
export function fillTemplate(template: Template, cellOf: (column: string) => string): string {
  const filled = template.parts.map((part) =>
    typeof part === 'string' ? part : (part.map(cellOf).find((cell) => cell !== '') ?? ''),
  );
  const isFixed = template.parts.every((part) => typeof part === 'string');
  const hasValue = template.parts.some((part, at) => typeof part !== 'string' && filled[at] !== '');
  return isFixed || hasValue ? filled.join('').trim() : '';
}
