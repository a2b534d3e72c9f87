/** What the first bytes of a file tell about its format, and what to do. */
const SIGNATURES: readonly (readonly [bytes: string, format: string])[] = [
  ['PK\x03\x04', 'an Excel workbook or a ZIP archive; save it as CSV (in Excel: “CSV UTF-8”)'],
  ['\xd0\xcf\x11\xe0', 'an Excel workbook; save it as CSV (in Excel: “CSV UTF-8”)'],
  ['\x1f\x8b', 'compressed; unpack it first (gunzip)'],
  ['\xff\xfe', 'UTF-16; save it as UTF-8 (in Excel: “CSV UTF-8”)'],
  ['\xfe\xff', 'UTF-16; save it as UTF-8 (in Excel: “CSV UTF-8”)'],
];

/** What a file in XML is said to be. With a mapping it may be a product feed. */
export const XML =
  'XML; export it as CSV or JSON Lines, with the fields that FEED.md names, or index a product feed with --mapping google';

const MARKUP: readonly (readonly [beginning: RegExp, format: string])[] = [
  [/^<(!doctype html|html)\b/i, 'a web page: its download seems to have failed'],
  [/^<(!--|(\?xml|!doctype|rss|feed)\b)/i, XML],
];

/** Bytes that tell the format. */
const BEGINNING = 256;

/**
 * Recognizes files that advertisers send by mistake, which would otherwise be read as CSV without a single known
 * column.
 *
 * @returns what the file is, and what to do; null if it may be a feed
 */
export function foreignFormat(bytes: Buffer): string | null {
  const beginning = bytes.toString('latin1', 0, BEGINNING);
  const [, binary] = SIGNATURES.find(([signature]) => beginning.startsWith(signature)) ?? [];
  if (binary !== undefined) return binary;
  const text = beginning.replace(/^\xef\xbb\xbf/, '').trimStart();
  const [, markup] = MARKUP.find(([pattern]) => pattern.test(text)) ?? [];
  return markup ?? null;
}
