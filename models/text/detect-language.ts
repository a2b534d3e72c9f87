import { eld } from 'eld/small';
import { COVERED_LANGUAGES, type Language, primaryLanguage } from './language.js';

/** What is read of a text: more does not tell more, and time grows with length. */
const CHARACTERS_READ = 1000;

/**
 * What counts before a letter is read: most conversations are in a covered language; short ones in Latin letters are brands
 * and models (`nike pegasus 41`) more often than they are in Albanian, and English the more often the shorter they are.
 */
const COVERED_BONUS = 0.06;
const ENGLISH_BONUS = 0.07;
const SHORTEST_ENGLISH_BONUS = 0.3;
const SHORT_LETTERS = 40;

/** Japanese always has more of its own letters than a Chinese text that names a Japanese product. */
const LEAST_KANA = 0.15;

/** `ok` and `hi` are said in many languages. */
const LEAST_LETTERS = 4;

/** Below this, n-grams of a text are like those of no language: names, code, formulas. */
const LEAST_LIKENESS = 0.3;

/**
 * Tells the language of a text, its newest end where it is long: Japanese and Chinese by their letters, others by
 * n-grams (eld), Hindi in Roman script by its little words.
 *
 * @returns null where the text does not tell: a few letters, numbers, names, code
 */
export function detectLanguage(text: string): Language | null {
  const read = text.slice(-CHARACTERS_READ).toWellFormed();
  const letters = countOf(read, /\p{L}/gu);
  if (letters < 2) return null;
  if (countOf(read, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu) > letters * LEAST_KANA) return 'ja';
  if (countOf(read, /\p{Script=Han}/gu) > letters / 2) return 'zh';
  if (letters < LEAST_LETTERS) return null;
  if (isRomanHindi(read)) return 'hi';
  const shortness = Math.max(0, 1 - letters / SHORT_LETTERS);
  const isShortLatin = shortness > 0 && countOf(read, /\p{Script=Latin}/gu) > letters / 2;
  const likely = Object.entries(eld.detect(read).getScores())
    .filter(([, likeness]) => likeness >= LEAST_LIKENESS)
    .filter(([language]) => !isShortLatin || COVERED_LANGUAGES.includes(language))
    .map(([language, likeness]) => [language, likeness + bonusOf(language, shortness)] as const)
    .toSorted(([, a], [, b]) => b - a);
  const [first] = likely;
  // eld has some names of old, such as tl for fil.
  return first === undefined ? null : primaryLanguage(first[0]);
}

function countOf(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}

/** @param shortness 1 of nothing, 0 from `SHORT_LETTERS` letters on */
function bonusOf(language: Language, shortness: number): number {
  if (language === 'en') return ENGLISH_BONUS + shortness * (SHORTEST_ENGLISH_BONUS - ENGLISH_BONUS);
  return COVERED_LANGUAGES.includes(language) ? COVERED_BONUS : 0;
}

/** Frequent in Hindi as phones type it, and rare in the other languages that use these letters. */
const HINDI_WORDS = new Set(
  `aa aap aapko aaj abhi accha achha aur bahut bas batao bhai bhi bola chahiye chahie dekh dena dijiye diya gaya gayi gaye
  ghar hai hain haath hazaar ho hoga hu hua hui hoon iska kaam kaise kahan kaha kal kar karna karo karte kab kaun kabhi
  khud kitna kitne kitni koi kuch kya kyu kyun lagta lena liya liye lekin magar mein mera mere meri milega mujhe nahi
  nahin nhi neeche paas paise raat raha rahe rahi roz saal sab sakta sakte sakti sirf tha thi thoda tum wala wale wali yaar yeh`.split(
    /\s+/,
  ),
);
const LEAST_HINDI_WORDS = 2;
const LEAST_HINDI_SHARE = 0.2;

function isRomanHindi(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const known = words.filter((word) => HINDI_WORDS.has(word));
  return new Set(known).size >= LEAST_HINDI_WORDS && known.length >= LEAST_HINDI_SHARE * words.length;
}
