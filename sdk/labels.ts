import { ownFields } from './own-fields.js';
import type { LabelOptions, Labels } from './types.js';

export interface Wording {
  /** `lang` and `dir` of the ad. */
  readonly language: Attributes;
  /** What a label says, its `dir`, and its `lang` where that is not the ad's. */
  readonly wordsOf: (label: keyof Labels) => readonly [words: string, attributes: Attributes];
}

type Attributes = Readonly<Record<string, string>>;
type ByLanguage = Partial<Record<string, Labels>>;

/**
 * How an ad in a language is labelled: in the page's words, else in those built in, else in English.
 *
 * @param tag BCP 47; one that is none is like null: the ad's language is not known
 * @param given to `init`, unchecked: what is no text is passed over, so that no ad goes without its label
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
    // Not a tag.
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
 * The script of a tag, else the usual one of its language: `ar`, `fa`, `ur` are in Arab, `he` in Hebr. Said, since such an
 * ad may begin with a brand in Latin letters. Others' words tell their direction, also where a feed names the wrong
 * language.
 */
const RIGHT_TO_LEFT = /Arab|Hebr|Syrc|Thaa/;

/** With one of its own, a label does not tell that of the ad. */
const OWN_DIRECTION = { dir: 'auto' };
const ENGLISH = { lang: 'en', dir: 'ltr' };
/** The page has not told which language its words for any are in. */
const ANY_LANGUAGE = { lang: '', dir: 'auto' };

const labels = (ad: string, learnMore: string): Labels => ({ ad, learnMore });

/** As ads are labelled where the language is spoken. */
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
