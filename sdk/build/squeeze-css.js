/** A webpack loader: removes white space from the style sheets in style.js, which are written to be read. */
export default function squeezeCss(source) {
  return source.replace(/`[^`]*`/g, (sheet) =>
    sheet.replace(/\s*([{};:,>!+])\s*|\s*\n\s*/g, '$1').replaceAll(';}', '}'),
  );
}
