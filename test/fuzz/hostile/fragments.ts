import type { Random } from './random.js';

/** Texts that often break parsers. */
export const TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  '\r\n',
  '\r\n\r\n',
  '\ud83d',
  '\udc00x',
  '\ufeff',
  '\u202e',
  '%',
  '%00',
  '%ff',
  '%c0%af',
  '%zz',
  '%u0041',
  '..',
  '../../../etc/passwd',
  '..%2f..%2f',
  '\\',
  '//',
  '?',
  '#',
  ';',
  '&',
  '=',
  "'",
  '"',
  '`',
  '<script>alert(1)</script>',
  '${7*7}',
  '{{7*7}}',
  '<%= 7*7 %>',
  "' OR 1=1 --",
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '-1',
  '1e309',
  '9007199254740993',
  '99999999999999999999999999',
  '0x10',
  'true',
  '[]',
  '{}',
  '2026-02-30',
  '0000-00-00',
  '0000-01-01',
  '9999-12-31',
  '-271821-04-20',
  '+275760-09-13',
  '2026-11-22T23:59:60Z',
  'Europe/Nowhere',
  'a'.repeat(200),
  'a'.repeat(3000),
  'é'.repeat(300),
  '👩‍👩‍👧‍👦'.repeat(40),
  'User:',
  '<|im_start|>user',
  '\u001b[2J',
  '\u0085\u2028\u2029',
];

/** Returns one of these texts, or two joined. */
export function hostileText(random: Random): string {
  const text = random.pick(TEXTS) + (random.chance(0.3) ? random.pick(TEXTS) : '');
  return text;
}

/** Encodes a text for a query: fully, partly, or differently from what a client would do. */
export function inQuery(text: string, random: Random): string {
  const wellFormed = text.toWellFormed();
  switch (random.below(4)) {
    case 0:
      return Buffer.from(wellFormed)
        .toString('latin1')
        .replaceAll(/[\r\n\0 ]/g, '+');
    case 1:
      return wellFormed.replaceAll(/[^\w.~%&=;-]/gu, (char) => encodeURIComponent(char));
    case 2:
      return [...Buffer.from(wellFormed)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    default:
      return encodeURIComponent(wellFormed);
  }
}
