/** A text from outside on one line, cut to `most` characters: it must not steer the terminal. */
export function printable(text: string, most = Infinity): string {
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '\ufffd');
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`;
}
