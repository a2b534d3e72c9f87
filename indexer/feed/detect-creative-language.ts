import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Creative } from '../../models/schema/creative.js';
import type { Language } from '../../models/text/language.js';

/** Loaded for the first text: reading eld's tables takes longer than indexing a feed without new texts. */
let loading: ReturnType<typeof loadDetection> | undefined;
const loadDetection = () => import('../../models/text/detect-language.js');

/** Returns the language of a creative's text; undefined if it cannot be detected. */
export async function detectCreativeLanguage({
  name,
  text,
}: Pick<Creative, 'name' | 'text'>): Promise<Language | undefined> {
  loading ??= loadDetection();
  const { detectLanguage } = await loading;
  return detectLanguage(text === null ? name : `${name}. ${text}`) ?? undefined;
}

/** Texts between two turns of the event loop. */
const TEXTS_AT_ONCE = 500;

/** Replaces the languages that an earlier release detected by those that this one detects. */
export async function redetectLanguages(creatives: readonly Creative[]): Promise<Creative[]> {
  const detected: Creative[] = [];
  for (const creative of creatives) {
    if (detected.length % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await nextTurn();
    // Keeps the field order of a feed's rows, so that equal catalogues give snapshots equal to the byte.
    const { writtenIn: _before, source, ...rest } = creative;
    const written = rest.language === undefined ? await detectCreativeLanguage(rest) : undefined;
    detected.push({ ...rest, ...(written && { writtenIn: written }), ...(source && { source }) });
  }
  return detected;
}
