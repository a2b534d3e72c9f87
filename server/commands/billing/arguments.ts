import { Type } from '#typebox';
import { FLAG, TEXT, TEXTS, UsageError } from '../../../platform/command-line/run-command.js';
import { type Checked, checker } from '../../../models/schema/check.js';
import type { Config } from '../../config/config.js';
import { Buyer, Seller } from '../../invoice/billing/billing-file.js';
import type { BuyerChange, SellerChange } from '../../invoice/billing/set-billing.js';
import { readCommand } from '../shared/read-command.js';

/** The parsed and checked command line. */
export type BillingArguments = { readonly config: Config } & (
  | { readonly name: 'seller'; readonly change: SellerChange }
  | { readonly name: 'advertiser'; readonly advertiser: string; readonly change: BuyerChange }
  /** Null: the seller. */
  | { readonly name: 'unset'; readonly advertiser: string | null }
  | { readonly name: 'list'; readonly json: boolean }
);

const PARTY = { name: TEXT, address: TEXTS, 'tax-number': TEXT, 'tax-rate': TEXT, note: TEXTS } as const;
const SELLER = { ...PARTY, 'tax-name': TEXT, payment: TEXTS, 'due-days': TEXT } as const;

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments([name, ...argv]: readonly string[]): BillingArguments {
  switch (name) {
    case 'seller': {
      const { values, config } = readCommand(argv, SELLER, 0);
      const { 'due-days': days } = values;
      const dueDays = days === undefined ? {} : { dueDays: days === '' ? null : readDays(days) };
      return { name, change: changeOf(checkSeller, { ...fieldsOf(values), ...dueDays }), config };
    }
    case 'advertiser': {
      const { values, positionals, config } = readCommand(argv, PARTY, 1);
      return { name, advertiser: advertiserIn(positionals), change: changeOf(checkBuyer, fieldsOf(values)), config };
    }
    case 'unset': {
      const { values, positionals, config } = readCommand(argv, { seller: FLAG }, 1);
      if (values.seller === true && positionals.length > 0) throw new UsageError('--seller takes no advertiser');
      return { name, advertiser: values.seller === true ? null : advertiserIn(positionals), config };
    }
    case 'list': {
      const { values, config } = readCommand(argv, { json: FLAG }, 0);
      return { name, json: values.json === true, config };
    }
    default:
      throw new UsageError(name === undefined ? 'a command is missing' : `${name} is not a command`);
  }
}

function advertiserIn([name]: readonly string[]): string {
  if (name === undefined || name === '') throw new UsageError('the advertiser is missing');
  return name;
}

function readDays(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 365) throw new UsageError('--due-days must be from 0 to 365');
  return Number(text);
}

type Values = ReturnType<typeof readCommand<typeof SELLER>>['values'];

/** Returns the fields that options set; null: one empty value, which removes what was set. */
function fieldsOf(values: Omit<Values, 'due-days'>) {
  const { name, address, payment, note } = values;
  const { 'tax-number': taxNumber, 'tax-name': taxName, 'tax-rate': taxRate } = values;
  const texts = Object.entries({ name, taxNumber, taxName, taxRate }).map(
    ([field, text]) => [field, text === undefined ? undefined : text.trim() || null] as const,
  );
  const lists = Object.entries({ address, payment, note }).map(([field, lines]) => {
    const filled = lines?.map((line) => line.trim()).filter((line) => line !== '');
    return [field, filled?.length === 0 ? null : filled] as const;
  });
  return Object.fromEntries([...texts, ...lists].filter(([, value]) => value !== undefined));
}

const checkSeller = checker(Type.Partial(Seller));
const checkBuyer = checker(Type.Partial(Type.Omit(Buyer, ['advertiser'])));

/** Checks fields that are not to be removed. @throws UsageError naming the options at fault */
function changeOf<Change extends object>(check: (value: unknown) => Checked<unknown>, fields: Change): Change {
  if (Object.keys(fields).length === 0) throw new UsageError('nothing to set');
  const checked = check(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)));
  if (checked.ok) return fields;
  throw new UsageError(checked.faults.map(({ field, message }) => `--${optionOf(field)} ${message}`).join('; '));
}

/** Returns the option of a field such as `address.0` or `taxRate`. */
function optionOf(field: string): string {
  return field.split('.', 1)[0]!.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
