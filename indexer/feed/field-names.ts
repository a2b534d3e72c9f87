import { FeedRow } from '../../models/schema/creative.js';

/** Fields that JSON nests in another and CSV has as a column with a dotted name. */
export const NESTED_FIELDS: readonly string[] = [
  'pricing.model',
  'pricing.micros',
  'frequencyCap.ads',
  'frequencyCap.hours',
];

/** The columns that a CSV feed may have: the fields of a feed row, nested ones with dotted names. */
export const COLUMNS: ReadonlySet<string> = new Set([
  ...Object.keys(FeedRow.properties).filter((field) => field !== 'pricing' && field !== 'frequencyCap'),
  ...NESTED_FIELDS,
]);

/** Columns without which no row can be valid. */
export const REQUIRED_COLUMNS: readonly string[] = FeedRow.required;

const FIELDS = Object.keys(FeedRow.properties);
const columnOf = new Map([...COLUMNS].map((column) => [keyOf(column), column]));
const fieldOf = new Map(FIELDS.map((field) => [keyOf(field), field]));

/**
 * Returns the column that an unknown one means, if they differ only in case, blanks, `_`, `-` or `.`; undefined if the
 * feed has that column too, or there is none. A budget that is ignored for its spelling would be no limit.
 */
export function misspelledColumn(column: string, columns: readonly string[]): string | undefined {
  return meant(column, columnOf, (name) => columns.includes(name));
}

/** Returns the field that an unknown field of a JSON row means, as `misspelledColumn` does. */
export function misspelledField(field: string, row: object): string | undefined {
  return meant(field, fieldOf, (name) => Object.hasOwn(row, name));
}

/** Returns the fault of a field whose name is misspelled. */
export function mustBe(name: string): string {
  return `must be written “${name}”, or it would be ignored`;
}

function meant(
  name: string,
  known: ReadonlyMap<string, string>,
  isPresent: (name: string) => boolean,
): string | undefined {
  const found = known.get(keyOf(name));
  return found === undefined || found === name || isPresent(found) ? undefined : found;
}

/** Returns what is equal for names that differ only in case, blanks, `_`, `-` or `.`. */
export function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]/g, '');
}

/** What shop systems and Google Merchant call the required fields. */
const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  id: ['itemid', 'productid', 'offerid', 'sku', 'artikelnummer', 'reference'],
  name: ['title', 'headline', 'productname', 'titel', 'titre', 'nom', 'bezeichnung'],
  text: ['description', 'body', 'beschreibung', 'texte'],
  landingUrl: ['link', 'url', 'finalurl', 'destinationurl', 'deeplink', 'producturl'],
};

/** Returns which of the names of a feed is probably meant by a required field that it lacks. */
function usualName(field: string, names: readonly string[]): string | undefined {
  const usual = new Set([field.toLowerCase(), ...(USUAL_NAMES[field] ?? [])]);
  return names.find((name) => usual.has(keyOf(name)));
}

/** Returns what to do about a field that the names of a feed do not have; empty if none of them seems to be meant. */
export function hintAt(field: string, names: readonly string[]): string {
  const usual = usualName(field, names);
  return usual === undefined ? '' : `; rename “${shortName(usual)}” if it is meant, or index with a --mapping`;
}

const MAX_SHOWN = 80;

/** Returns a name of a feed as a message can quote it. */
export function shortName(name: string): string {
  return name.length <= MAX_SHOWN ? name : `${name.slice(0, MAX_SHOWN).toWellFormed()}…`;
}
