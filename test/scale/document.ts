const BEGIN = '<!-- npm run scale -- --write -->';
const END = '<!-- end -->';

/** A document with the tables between its two marks. @throws Error where there are none */
export function withTables(document: string, tables: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`the document lacks the marks ${BEGIN} and ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${document.slice(end)}`;
}
