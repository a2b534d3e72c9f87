import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Creative } from '../../models/schema/creative.js';
import { type Language, tellLanguage } from '../../models/text/language.js';

/** The language of a creative's text, where that tells. */
export function writtenIn({ name, text }: Pick<Creative, 'name' | 'text'>): Language | undefined {
  return tellLanguage(text === null ? name : `${name}. ${text}`) ?? undefined;
}

/** Then timers have their turn. */
const TEXTS_AT_ONCE = 500;

/** Creatives whose languages an earlier release told, as this one tells them. */
export async function toldAnew(creatives: readonly Creative[]): Promise<Creative[]> {
  const told: Creative[] = [];
  for (const creative of creatives) {
    if (told.length % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await nextTurn();
    // In the order of fields that a feed's rows have: two snapshots of the same are the same to the byte.
    const { writtenIn: _before, source, ...rest } = creative;
    const written = rest.language === undefined ? writtenIn(rest) : undefined;
    told.push({ ...rest, ...(written && { writtenIn: written }), ...(source && { source }) });
  }
  return told;
}
