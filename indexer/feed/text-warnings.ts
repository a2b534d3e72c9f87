import type { Creative } from '../../models/schema/creative.js';
import { inBatches } from '../../platform/time/in-batches.js';
import type { CreativeRow } from './campaign.js';
import { describePosition, type FeedPosition } from './feed-entry.js';

/** What people would see in an ad although it was not written for them. */
const SIGNS: readonly (readonly [sign: RegExp, what: string])[] = [
  [
    /<\/?[a-z][a-z\d]*(?: [^<>]*)?\/?>|&(?:[a-z]{2,8}|#\d{2,6}|#x[\da-f]{2,5});/i,
    'HTML, which is shown as it is written',
  ],
  // UTF-8 that was read as Windows-1252: é, –, a blank or a sign such as £.
  [/Ã[\u0080-\u00bf\u0152-\u0192\u2013-\u203a\u20ac\u2122]|â€|Â[\u00a0-\u00bf]/, 'text that was decoded wrongly'],
  [/\ufffd/, 'characters that an earlier program could not decode'],
];

/** Characters of text for which an ad has room in most places. */
export const USUAL_TEXT_LENGTH = 300;

interface Found {
  readonly text: string;
  readonly position: FeedPosition;
  rows: number;
}

/**
 * Returns a warning for each sign of a broken export in the names and texts of a feed: HTML, wrong encodings, lost
 * characters; and one each for categories with another separator and for long texts. They are no faults, since an ad may be about HTML.
 */
export async function textWarnings(rows: readonly CreativeRow[]): Promise<string[]> {
  const found = new Map<string, Found>();
  const long: FeedPosition[] = [];
  const joined: FeedPosition[] = [];
  await inBatches(rows, ({ creative, position }) => {
    if ((creative.text?.length ?? 0) > USUAL_TEXT_LENGTH) long.push(position);
    if (areJoined(creative.categories)) joined.push(position);
    for (const [sign, what] of SIGNS) {
      const [text] = sign.exec(shownText(creative)) ?? [];
      if (text === undefined) continue;
      const known = found.get(what);
      if (known === undefined) found.set(what, { text, position, rows: 1 });
      else known.rows++;
    }
  });
  const warnings = Array.from(
    found,
    ([what, { text, position, rows: count }]) =>
      `${describeRows(count, position)} may have ${what}: “${text.slice(0, MAX_SHOWN)}”`,
  );
  if (joined[0] !== undefined) {
    const several = 'several categories in one; separate them by | in CSV, or list them one by one in JSON';
    warnings.push(`${describeRows(joined.length, joined[0])} may have ${several}`);
  }
  if (long[0] === undefined) return warnings;
  const room = `more than ${USUAL_TEXT_LENGTH} characters of text, all of which an ad shows`;
  return [...warnings, `${describeRows(long.length, long[0])} ${long.length === 1 ? 'has' : 'have'} ${room}`];
}

/** Returns whether a single category looks like a list: names of categories rarely have two commas. */
function areJoined(categories: readonly string[]): boolean {
  return categories.length === 1 && /;|,.*,/s.test(categories[0]!);
}

function describeRows(count: number, first: FeedPosition): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'} (first at ${describePosition(first)})`;
}

const MAX_SHOWN = 20;

function shownText({ name, text }: Creative): string {
  return text === null ? name : `${name}\n${text}`;
}
