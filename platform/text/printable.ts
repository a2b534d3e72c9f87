/**
 * Returns external text on one line, without characters that can control the terminal. Text longer than `max`
 * characters is cut at a word boundary, or within a very long word.
 */
export function printable(text: string, max = Infinity): string {
  const line = onOneLine(text);
  if (line.length <= max) return line;
  const kept = withoutLoneSurrogates(line.slice(0, max - 1));
  // The next character shows whether the last word is whole.
  const whole = line[max - 1] === ' ' ? kept : kept.slice(0, kept.lastIndexOf(' ') + 1);
  return `${(whole.length > max / 2 ? whole : kept).trimEnd()}…`;
}

/** Returns the end of a text, cut at the beginning of a word: the newest part of a conversation matters most. */
export function printableEnd(text: string, max: number): string {
  const line = onOneLine(text);
  if (line.length <= max) return line;
  const kept = withoutLoneSurrogates(line.slice(1 - max));
  const whole = line[line.length - max] === ' ' ? kept : kept.slice(kept.indexOf(' ') + 1);
  return `…${(whole.length > max / 2 ? whole : kept).trimStart()}`;
}

function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '\ufffd');
}

/** Removes lone surrogates: the cut may have split a surrogate pair. */
function withoutLoneSurrogates(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '');
}

/**
 * Makes a command's multi-line output, which may contain external text, unable to control the terminal. Line breaks and
 * tabs stay, as do the joiners that scripts and emoji need; characters that reorder other text do not.
 */
export function printableLines(text: string): string {
  return text.replaceAll(TERMINAL_CONTROLS, '\ufffd');
}

/**
 * Control characters except tab, line feed, and a carriage return before a line feed; overrides of the text direction.
 */
const TERMINAL_CONTROLS = /(?![\t\n]|\r\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
