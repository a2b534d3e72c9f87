import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Creative } from '../../models/schema/creative.js';
import type { Language } from '../../models/text/language.js';

/** Loaded for the first text: reading eld's tables takes longer than a feed does of which nothing is new. */
let loading: ReturnType<typeof loadTelling> | undefined;
const loadTelling = () => import('../../models/text/detect-language.js');

/** The language of a creative's text, where that tells. */
export async function detectCreativeLanguage({
  name,
  text,
}: Pick<Creative, 'name' | 'text'>): Promise<Language | undefined> {
  loading ??= loadTelling();
  const { detectLanguage } = await loading;
  return detectLanguage(text === null ? name : `${name}. ${text}`) ?? undefined;
}

/** Then timers have their turn. */
const TEXTS_AT_ONCE = 500;

/** Creatives with their languages, which an earlier release detected, as this one detects them. */
export async function redetectLanguages(creatives: readonly Creative[]): Promise<Creative[]> {
  const detected: Creative[] = [];
  for (const creative of creatives) {
    if (detected.length % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await nextTurn();
    // In the order of fields that a feed's rows have: two snapshots of the same are the same to the byte.
    const { writtenIn: _before, source, ...rest } = creative;
    const written = rest.language === undefined ? await detectCreativeLanguage(rest) : undefined;
    detected.push({ ...rest, ...(written && { writtenIn: written }), ...(source && { source }) });
  }
  return detected;
}
