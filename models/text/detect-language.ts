import { eld } from '#eld';
import { COVERED_LANGUAGES, type Language, primaryLanguage } from './language.js';

/** Only this many characters are examined: more do not improve detection, and time grows with length. */
const MAX_CHARACTERS = 1000;

/**
 * Prior scores: most conversations are in a covered language. Short texts in Latin letters are more often brands and
 * models (`nike pegasus 41`) than, say, Albanian, and the shorter they are, the more often they are English.
 */
const COVERED_BONUS = 0.06;
const ENGLISH_BONUS = 0.07;
const SHORTEST_ENGLISH_BONUS = 0.3;
const SHORT_LETTERS = 40;

/** Japanese texts always have a larger share of kana than a Chinese text that names a Japanese product. */
const MIN_KANA = 0.15;

/** Shorter texts, such as `ok` and `hi`, occur in many languages. */
const MIN_LETTERS = 4;

/** Below this, a text's n-grams resemble no language: names, code, formulas. */
const MIN_LIKENESS = 0.3;

/**
 * Detects the language of a text, or of its newest end if it is long: Japanese and Chinese by script, Hindi in Roman
 * script by its function words, all others by n-grams (eld).
 *
 * @returns null if the text does not reveal it: a few letters, numbers, names, code
 */
export function detectLanguage(text: string): Language | null {
  const read = text.slice(-MAX_CHARACTERS).toWellFormed();
  const letters = countOf(read, /\p{L}/gu);
  if (letters < 2) return null;
  if (countOf(read, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu) > letters * MIN_KANA) return 'ja';
  if (countOf(read, /\p{Script=Han}/gu) > letters / 2) return 'zh';
  if (letters < MIN_LETTERS) return null;
  if (isRomanHindi(read)) return 'hi';
  const shortness = Math.max(0, 1 - letters / SHORT_LETTERS);
  const isShortLatin = shortness > 0 && countOf(read, /\p{Script=Latin}/gu) > letters / 2;
  const likely = Object.entries(eld.detect(read).getScores())
    .filter(([, likeness]) => likeness >= MIN_LIKENESS)
    .filter(([language]) => !isShortLatin || COVERED_LANGUAGES.includes(language))
    .map(([language, likeness]) => [language, likeness + bonusOf(language, shortness)] as const)
    .toSorted(([, a], [, b]) => b - a);
  const [first] = likely;
  // eld uses some deprecated tags, such as tl for fil.
  return first === undefined ? null : primaryLanguage(first[0]);
}

function countOf(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}

/** @param shortness from 1 for no letters to 0 for `SHORT_LETTERS` or more */
function bonusOf(language: Language, shortness: number): number {
  if (language === 'en') return ENGLISH_BONUS + shortness * (SHORTEST_ENGLISH_BONUS - ENGLISH_BONUS);
  return COVERED_LANGUAGES.includes(language) ? COVERED_BONUS : 0;
}

/** Words that are frequent in Hindi typed in Roman script, and rare in other languages with Latin letters. */
const HINDI_WORDS = new Set(
  `aa aap aapko aaj abhi accha achha aur bahut bas batao bhai bhi bola chahiye chahie dekh dena dijiye diya gaya gayi gaye
  ghar hai hain haath hazaar ho hoga hu hua hui hoon iska kaam kaise kahan kaha kal kar karna karo karte kab kaun kabhi
  khud kitna kitne kitni koi kuch kya kyu kyun lagta lena liya liye lekin magar mein mera mere meri milega mujhe nahi
  nahin nhi neeche paas paise raat raha rahe rahi roz saal sab sakta sakte sakti sirf tha thi thoda tum wala wale wali yaar yeh`.split(
    /\s+/,
  ),
);
const MIN_HINDI_WORDS = 2;
const MIN_HINDI_SHARE = 0.2;

function isRomanHindi(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const known = words.filter((word) => HINDI_WORDS.has(word));
  return new Set(known).size >= MIN_HINDI_WORDS && known.length >= MIN_HINDI_SHARE * words.length;
}
