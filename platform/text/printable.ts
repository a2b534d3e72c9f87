/**
 * A text from outside on one line: it must not steer the terminal. Longer than `most` characters, it is cut where a word
 * ends, or within one that is very long.
 */
export function printable(text: string, most = Infinity): string {
  const line = onOneLine(text);
  if (line.length <= most) return line;
  const kept = withoutHalves(line.slice(0, most - 1));
  // The next character shows whether the last word is whole.
  const whole = line[most - 1] === ' ' ? kept : kept.slice(0, kept.lastIndexOf(' ') + 1);
  return `${(whole.length > most / 2 ? whole : kept).trimEnd()}…`;
}

/** The same of the end of a text, cut where a word begins: of a conversation, the newest is what counts. */
export function printableEnd(text: string, most: number): string {
  const line = onOneLine(text);
  if (line.length <= most) return line;
  const kept = withoutHalves(line.slice(1 - most));
  const whole = line[line.length - most] === ' ' ? kept : kept.slice(kept.indexOf(' ') + 1);
  return `…${(whole.length > most / 2 ? whole : kept).trimStart()}`;
}

function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '\ufffd');
}

/** A cut may have gone through a character of two halves. */
function withoutHalves(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '');
}

/**
 * Several lines of a command's output, in which texts from outside may stand: nothing in them steers the terminal. Line
 * breaks and tabs stay, and what belongs to scripts and emoji (joiners); what reorders other text does not.
 */
export function printableLines(text: string): string {
  return text.replaceAll(STEERING, '\ufffd');
}

/** Control characters but tab, line feed and a carriage return before one; overrides of the direction of text. */
const STEERING = /(?![\t\n]|\r\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
