import { readFile } from 'node:fs/promises';
import { UsageError } from '../../platform/command-line/run-command.js';
import { SettingsError } from '../../platform/command-line/settings.js';
import { checker } from '../../models/schema/check.js';
import { COLUMNS, keyOf, misspelledColumn, REQUIRED_COLUMNS } from '../feed/field-names.js';
import { GOOGLE } from './google.js';
import { extend, MappingFile, type Mapping, toMapping } from './mapping.js';
import { gapsOf, parseTemplate } from './template.js';

const checkFile = checker(MappingFile);

/** How an index run reads its feed. */
export interface FeedReading {
  /** Null: the feed has the columns that FEED.md names. */
  readonly mapping: Mapping | null;
  /** Values that every row gets, by field, whatever the feed has. */
  readonly fixed: ReadonlyMap<string, string>;
}

/**
 * Reads the options --mapping and --set.
 *
 * @param nameOrFile `google`, or the path of a mapping file; absent: no mapping
 * @param set `FIELD=VALUE`, repeatable; takes precedence over the mapping
 * @throws UsageError for an unusable --set, SettingsError for an unusable mapping
 */
export async function readReading(nameOrFile: string | undefined, set: readonly string[]): Promise<FeedReading> {
  const fixed = new Map(set.map(fixedValue));
  if (nameOrFile === undefined) {
    const [field] = [...fixed].find(([, value]) => gapsOf(parseTemplate(value)).length > 0) ?? [];
    if (field !== undefined) throw new UsageError(`--set ${field} has columns in braces, which need a --mapping`);
    return { mapping: null, fixed };
  }
  const file = nameOrFile === 'google' ? GOOGLE : await readMappingFile(nameOrFile);
  const whole = { ...file, fields: { ...file.fields, ...Object.fromEntries(fixed) } };
  const faults = [...faultsOfFields(whole), ...productPrices(whole, file === GOOGLE || file.extends === 'google')];
  if (faults.length > 0) throw new SettingsError(faults.map((fault) => `--mapping ${nameOrFile}: ${fault}`));
  return { mapping: toMapping(whole), fixed: new Map() };
}

function fixedValue(option: string): [field: string, value: string] {
  const [, field = '', value = ''] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
  const name = field.trim();
  if (name === '' || value.trim() === '') throw new UsageError(`--set must be FIELD=VALUE, not "${option}"`);
  if (!COLUMNS.has(name)) throw new UsageError(`--set ${notAField(name)}`);
  return [name, value.trim()];
}

/** @throws SettingsError */
async function readMappingFile(path: string): Promise<MappingFile> {
  const refuse = (faults: readonly string[]): SettingsError =>
    new SettingsError(faults.map((fault) => `--mapping ${path}: ${fault}`));
  let value: unknown;
  try {
    value = JSON.parse((await readFile(path, 'utf8')).replace(/^\ufeff/, ''));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refuse([
      code === undefined
        ? `is not valid JSON (${message})`
        : `cannot be read (${code}); expected a mapping file, or google`,
    ]);
  }
  const checked = checkFile(value);
  if (!checked.ok) throw refuse(checked.faults.map(({ field, message }) => `${field} ${message}`.trim()));
  return checked.value.extends === 'google' ? extend(GOOGLE, checked.value) : checked.value;
}

function faultsOfFields({ fields }: MappingFile): string[] {
  const unknown = Object.keys(fields).filter((field) => !COLUMNS.has(field));
  const missing = REQUIRED_COLUMNS.filter((field) => !(field in fields));
  return [
    ...unknown.map((field) => `fields: ${notAField(field)}`),
    ...missing.map((field) => `fields: needs ${field}`),
  ];
}

function notAField(name: string): string {
  const meant = misspelledColumn(name, []);
  return `${name} is not a field of a feed${meant === undefined ? ' (FEED.md lists them)' : `; ${meant} is`}`;
}

/** In a product feed, `price` is what the product costs: as the price of a click it would empty every budget. */
const PRODUCT_PRICES: ReadonlySet<string> = new Set(['price', 'saleprice']);

function productPrices({ fields }: MappingFile, isProductFeed: boolean): string[] {
  if (!isProductFeed) return [];
  const amounts = Object.entries(fields).filter(([field]) => /^(price|budget|dailyBudget|pricing\.)/.test(field));
  return amounts
    .filter(([, text]) =>
      gapsOf(parseTemplate(String(text)))
        .flat()
        .some((column) => PRODUCT_PRICES.has(keyOf(column))),
    )
    .map(([field]) => `fields: ${field} would be what the product costs; set what an ad costs, such as "0.35"`);
}
