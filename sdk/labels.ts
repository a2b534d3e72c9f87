import { ownFields } from './own-fields.js';
import type { LabelOptions, Labels } from './types.js';

export interface Wording {
  /** `lang` and `dir` of the ad. */
  readonly language: Attributes;
  /** Returns a label's text, its `dir`, and its `lang` if it differs from the ad's. */
  readonly wordsOf: (label: keyof Labels) => readonly [words: string, attributes: Attributes];
}

type Attributes = Readonly<Record<string, string>>;
type ByLanguage = Partial<Record<string, Labels>>;

/**
 * Returns the labels for an ad in a language: the page's own, else the built-in ones, else English.
 *
 * @param tag BCP 47; null or an invalid tag: the ad's language is unknown
 * @param given the labels passed to `init`, unchecked: values that are not text are ignored, so that no ad lacks its
 * label
 */
export function wordingOf(tag: string | null | undefined, given: LabelOptions | undefined): Wording {
  let language: Attributes = OWN_DIRECTION;
  let keys: string[] = [];
  try {
    const locale = new Intl.Locale(tag!);
    const script = locale.maximize().script!;
    language = { lang: tag!, dir: RIGHT_TO_LEFT.test(script) ? 'rtl' : 'auto' };
    keys = [tag!, locale.language + '-' + script, locale.language];
  } catch {
    // Not a valid tag.
  }
  const own = ownFields(given) as ByLanguage;
  const choices: [Labels | undefined, Attributes][] = [[own, ANY_LANGUAGE]];
  for (const key of [...keys, 'en']) {
    const attributes = key == 'en' ? ENGLISH : OWN_DIRECTION;
    choices.push([own[key], attributes], [BUILT_IN[key], attributes]);
  }
  return {
    language,
    wordsOf: (label) =>
      choices
        .map(([labels, attributes]) => [ownFields(labels)[label]!, attributes] as const)
        .find(([words]) => typeof words == 'string' && words.trim())!,
  };
}

/**
 * Matches the scripts written right to left. A tag without a script has its language's usual one: `ar`, `fa` and `ur`
 * are in Arab, `he` in Hebr. Such ads need an explicit direction, since they may begin with a brand in Latin letters.
 * For other ads `auto` follows the text, even if the feed declares the wrong language.
 */
const RIGHT_TO_LEFT = /Arab|Hebr|Syrc|Thaa/;

/** A label with a `dir` of its own does not determine the direction of an ad with `dir="auto"`. */
const OWN_DIRECTION = { dir: 'auto' };
const ENGLISH = { lang: 'en', dir: 'ltr' };
/** For labels that the page set for all languages: their language is unknown. */
const ANY_LANGUAGE = { lang: '', dir: 'auto' };

const labels = (ad: string, learnMore: string): Labels => ({ ad, learnMore });

/** The usual labels of ads where each language is spoken. */
const BUILT_IN: ByLanguage = ownFields({
  en: labels('Ad', 'Learn more'),
  ar: labels('إعلان', 'معرفة المزيد'),
  de: labels('Anzeige', 'Mehr erfahren'),
  es: labels('Anuncio', 'Más información'),
  fr: labels('Publicité', 'En savoir plus'),
  hi: labels('विज्ञापन', 'और जानें'),
  it: labels('Annuncio', 'Scopri di più'),
  ja: labels('広告', '詳しく見る'),
  nl: labels('Advertentie', 'Meer informatie'),
  pl: labels('Reklama', 'Dowiedz się więcej'),
  pt: labels('Anúncio', 'Saiba mais'),
  tr: labels('Reklam', 'Daha fazla bilgi'),
  zh: labels('广告', '了解更多'),
  'zh-Hant': labels('廣告', '了解更多'),
});
