import type { Fault } from '../../models/schema/check.js';
import type { FeedRow } from '../../models/schema/creative.js';
import { nameKey } from '../../models/text/name-key.js';

/** Control characters, and overrides of the text direction. */
const UNPRINTABLE = /[\p{Cc}\u202d\u202e]/u;

/** No language needs nine marks on one letter; stacked, they cover the page above and below the ad. */
const STACKED = /\p{M}{9}/u;

/** Characters without a glyph, such as soft hyphens and joiners: marks behind one are stacked on those before it. */
const WITHOUT_GLYPH = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** A name and its key have at most this many characters: some ligatures are spelt out to eighteen letters in a key. */
const MAX_KEY = 400;

/**
 * What separates the entries of a list, but is in no phrase: "crisps, chips" as one phrase would keep an ad out of no
 * conversation. A comma between digits separates nothing.
 */
const SEPARATOR = /[|;\uff0c\uff1b\u3001\u060c\u061b]|(?<!\d),|,(?!\d)/;

/** Checks texts that people and terminals show. A headline and a text may contain any white space, names may not. */
export function textFaults({
  id,
  name,
  text,
  advertiser = '',
  campaign = '',
  categories = [],
  negativeKeywords = [],
}: FeedRow): Fault[] {
  const listed = Object.entries({ categories, negativeKeywords }).flatMap(([field, names]) =>
    names.map((name, at) => [`${field}.${at}`, name] as const),
  );
  // A byte order mark counts as white space, but has no glyph.
  const free = { name: name.replaceAll(/[^\S\ufeff]/g, ' '), text: text.replaceAll(/[^\S\ufeff]/g, ' ') };
  const texts = Object.entries({ id, ...free, advertiser, campaign, ...Object.fromEntries(listed) });
  return [
    ...faultsWhere(texts, (shown) => UNPRINTABLE.test(shown), 'must be free of control characters'),
    ...faultsWhere(
      texts,
      (shown) => STACKED.test(shown.replaceAll(WITHOUT_GLYPH, '')),
      'must not have more than eight accents on one letter',
    ),
    ...faultsWhere(
      Object.entries({ advertiser, campaign, ...Object.fromEntries(listed) }),
      (shown) => shown.normalize('NFKC').length > MAX_KEY,
      'must not consist of ligatures',
    ),
    ...faultsWhere(
      negativeKeywords.map((phrase, at) => [`negativeKeywords.${at}`, phrase] as const),
      (phrase) => SEPARATOR.test(phrase),
      'must be one word or phrase; separate several by | in CSV, or list them one by one in JSON',
    ),
    // What people read to know what is offered, and by whom.
    ...faultsWhere(Object.entries({ name, advertiser }), isInvisible, 'must have a character that can be seen'),
  ];
}

const isInvisible = (text: string): boolean => text !== '' && nameKey(text) === '';

function faultsWhere(
  texts: readonly (readonly [field: string, text: string])[],
  isWrong: (text: string) => boolean,
  message: string,
): Fault[] {
  return texts.filter(([, text]) => isWrong(text)).map(([field]) => ({ field, message }));
}
