const BEGIN = '<!-- npm run scale -- --write -->';
const END = '<!-- end -->';

/**
 * Replaces the tables between the document's two marks.
 *
 * @throws Error if a mark is missing
 */
export function withTables(document: string, tables: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`the document lacks the marks ${BEGIN} and ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${document.slice(end)}`;
}
