import { checker, type Fault } from '../../models/schema/check.js';
import { FeedRow, MAX_TAG_LENGTH, type Creative } from '../../models/schema/creative.js';
import { checkImage, type ImageFaults, type ImageFile } from './image-file.js';
import { canonicalCountry } from '../../models/text/country-code.js';
import { canonicalTag, languageName } from '../../models/text/language-tag.js';
import { tidyName } from '../../models/text/tidy-name.js';
import { readMoment } from '../../platform/time/moment.js';
import { inMicros } from './amounts.js';
import { detectCreativeLanguage } from './detect-creative-language.js';
import { landingUrlFault } from './landing-url.js';
import { detailsOf, misspellings } from './row-faults.js';
import { type SoundPart, withStandIns, wrongFields } from './sound-part.js';
import { textFaults } from './text-faults.js';

const checkFeedRow = checker(FeedRow);
const findFirstFault = checker(FeedRow, { everyFault: false });
/** More values than a list or object of a row may have. */
const HUGE = 1000;

/** Rules that a row is checked against, in addition to the schema. */
export interface RowRules {
  /** The folder that image paths are relative to. */
  readonly folder: string;
  readonly timeZone: string;
  /** The installation's currency, which amounts may name. */
  readonly currency: string;
  /** Epoch milliseconds: a creative that ends before is refused. */
  readonly now: number;
  /** By id: creatives whose language was detected by the current rules. */
  readonly detected?: ReadonlyMap<string, Creative>;
  /** Names of images that have passed the image check before. */
  readonly checkedImages?: ReadonlySet<string>;
  /** What the other rows of the feed have found about images. */
  readonly imageFaults?: ImageFaults;
}

/** A row that can be indexed. */
export interface CheckedRow {
  readonly creative: Creative;
  readonly image: ImageFile | null;
}

/** A row that cannot be indexed. */
export interface FaultyRow {
  readonly faults: readonly Fault[];
  /** Null: nothing of the row can be read. */
  readonly sound: SoundPart | null;
}

/**
 * Checks a row by itself. Fields in which the schema finds no fault are checked further even if it finds one in others:
 * an advertiser should hear of all faults at once.
 *
 * @returns the row as a creative, or every fault found in it
 */
export async function checkRow(value: unknown, rules: RowRules): Promise<CheckedRow | FaultyRow> {
  const inOneUnit = inMicros(tidied(value), rules.currency);
  const huge = isHuge(inOneUnit.row);
  const checked = (huge ? findFirstFault : checkFeedRow)(inOneUnit.row);
  const faults: Fault[] = [...misspellings(value), ...inOneUnit.faults];
  if (!checked.ok) faults.push(...checked.faults.flatMap((fault) => detailsOf(fault, inOneUnit.row)));
  if (huge && !checked.ok) return { faults, sound: null };
  const wrong = wrongFields(faults, value);
  const readable = checked.ok ? checked : checkFeedRow(withStandIns(inOneUnit.row, wrong));
  if (!readable.ok) return { faults, sound: null };
  const row = readable.value;
  faults.push(...textFaults(row));
  const startsAt = utc('startsAt');
  const endsAt = utc('endsAt');
  if (endsAt !== null && startsAt !== null && endsAt <= startsAt) {
    faults.push({ field: 'endsAt', message: `must be later than startsAt (${row.startsAt})` });
  } else if (endsAt !== null && Date.parse(endsAt) <= rules.now) {
    faults.push({ field: 'endsAt', message: `is in the past (${row.endsAt}); the creative would never be shown` });
  }
  const { folder, checkedImages, imageFaults } = rules;
  const image = row.image === undefined ? null : await checkImage(folder, row.image, checkedImages, imageFaults);
  if (typeof image === 'string') faults.push({ field: 'image', message: image });
  const blank = row.text.trim() === '';
  if (blank && row.image === undefined && !wrong.has('image'))
    faults.push({ field: 'text', message: 'must not be empty without an image' });
  const landingFault = landingUrlFault(row.landingUrl);
  if (landingFault !== null) faults.push(landingFault);
  const languageFault = row.language === undefined ? null : faultOfLanguage(row.language);
  if (languageFault !== null) faults.push({ field: 'language', message: languageFault });
  for (const [at, code] of row.countries?.entries() ?? []) {
    if (canonicalCountry(code) !== null) continue;
    faults.push({ field: `countries.${at}`, message: `must be the code of a country, such as GB, not ${code}` });
  }
  const creative = creativeFrom(row, { image: typeof image === 'string' ? null : image, startsAt, endsAt });
  if (faults.length > 0 || typeof image === 'string') {
    return { faults, sound: { creative, wrong: wrongFields(faults, value) } };
  }
  return { image, creative: { ...creative, ...(await languageOf(row, rules.detected?.get(row.id))) } };

  function utc(field: 'startsAt' | 'endsAt'): string | null {
    const moment = row[field];
    if (moment === undefined) return null;
    const at = readMoment(moment, rules.timeZone);
    const text = at === undefined ? '' : new Date(at).toISOString();
    // In UTC it may fall outside the years that a date can express.
    if (/^\d{4}-/.test(text)) return text;
    faults.push({ field, message: `must be an existing date or date-time, from year 0 to 9999 in UTC, not ${moment}` });
    return null;
  }
}

/** Returns the row as a creative, without its language. */
function creativeFrom(
  row: FeedRow,
  { image, startsAt, endsAt }: Pick<Creative, 'startsAt' | 'endsAt'> & { readonly image: ImageFile | null },
): Creative {
  return {
    id: row.id,
    name: row.name,
    text: row.text.trim() === '' ? null : row.text,
    landingUrl: row.landingUrl,
    imageFile: image?.name ?? null,
    advertiser: row.advertiser ?? null,
    campaign: row.campaign ?? null,
    categories: row.categories ?? [],
    ...(row.negativeKeywords?.length ? { negativeKeywords: row.negativeKeywords } : {}),
    startsAt,
    endsAt,
    pricing: row.pricing === undefined ? null : { model: row.pricing.model, micros: row.pricing.micros },
    budgetMicros: row.budgetMicros ?? null,
    dailyBudgetMicros: row.dailyBudgetMicros ?? null,
    frequencyCap: row.frequencyCap === undefined ? null : { ads: row.frequencyCap.ads, hours: row.frequencyCap.hours },
    ...(row.countries === undefined ? {} : { countries: row.countries.map((code) => canonicalCountry(code) ?? code) }),
  };
}

/** Returns whether a field has so many values that a fault for each would take gigabytes. */
function isHuge(row: unknown): boolean {
  if (typeof row !== 'object' || row === null) return false;
  const lists = Object.entries(row).filter(([field]) => Object.hasOwn(FeedRow.properties, field));
  return lists.some(([, value]) => sizeOf(value) > HUGE);
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** Leaves out fields that are null, and tidies the names that are compared with accounts and publishers' lists. */
function tidied(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const given = Object.entries(row).filter(([field, value]) => value !== null || !NULLABLE.has(field));
  return Object.fromEntries(given.map(([field, value]) => [field, NAMES.has(field) ? tidiedNames(value) : value]));
}

/** Shop systems write null for what they do not have. As a price, budget or cap it is a fault: it would be no limit. */
const NULLABLE: ReadonlySet<string> = new Set([
  'image',
  'advertiser',
  'campaign',
  'categories',
  'negativeKeywords',
  'startsAt',
  'endsAt',
  'language',
  'countries',
]);
const NAMES: ReadonlySet<string> = new Set(['advertiser', 'campaign', 'categories', 'negativeKeywords']);

function tidiedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidiedNames);
  return typeof value === 'string' ? tidyName(value) : value;
}

/** Checks that the language exists; the schema checks only the tag's form. */
function faultOfLanguage(tag: string): string | null {
  if (canonicalTag(tag) === null) return `must be a BCP 47 language tag such as de or pt-BR, not ${tag}`;
  if (canonicalTag(tag)!.length > MAX_TAG_LENGTH)
    return `must have at most ${MAX_TAG_LENGTH} characters in canonical form, not ${tag}`;
  return languageName(tag) === null ? `must name a known language, such as de or pt-BR, not ${tag}` : null;
}

/**
 * Returns the language that the row declares, in canonical form; otherwise the one detected from its text, if any.
 *
 * @param before the creative with the language detected before: detecting 100,000 takes 5 s, and most feeds hardly
 * change
 */
async function languageOf(
  { language, name, text }: FeedRow,
  before: Creative | undefined,
): Promise<Pick<Creative, 'language' | 'writtenIn'>> {
  const declared = language === undefined ? null : canonicalTag(language);
  if (declared !== null) return { language: declared };
  const shown = { name, text: text.trim() === '' ? null : text };
  const isKnown = before?.language === undefined && before?.name === name && before.text === shown.text;
  const written = isKnown ? before.writtenIn : await detectCreativeLanguage(shown);
  return written === undefined ? {} : { writtenIn: written };
}
