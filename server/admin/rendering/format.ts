import { decimal } from '../../../models/text/money.js';

const NONE = '–';
const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

const momentFormats = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the format of moments in a zone. One is made per zone, because making it takes 50 times as long as using it.
 */
function momentFormat(timeZone: string): Intl.DateTimeFormat {
  const known = momentFormats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  momentFormats.set(timeZone, made);
  return made;
}

/** Formats numbers for people. The CSV has the exact numbers. */
export const format = {
  count: (value: number): string => WHOLE.format(value),

  short: (value: number): string => (value < 10_000 ? WHOLE.format(value) : SHORT.format(value)),

  percent: (rate: number | null, digits = 2): string => (rate === null ? NONE : `${(100 * rate).toFixed(digits)} %`),

  /** Formats an exact amount with at least these decimals: those of the currency, or those that align a column. */
  money(micros: bigint | null, fewest: number): string {
    if (micros === null) return NONE;
    const [whole = '0', fraction] = decimal(micros, fewest).split('.');
    return WHOLE.format(BigInt(whole)) + (fraction === undefined ? '' : `.${fraction}`);
  },

  /** Returns the number of decimals that the longest of these amounts needs. @param fewest those of the currency */
  decimalsOf(amounts: readonly bigint[], fewest: number): number {
    return amounts.reduce(
      (most, micros) => Math.max(most, (decimal(micros, fewest).split('.')[1] ?? '').length),
      fewest,
    );
  },

  /** Formats an amount rounded to the smallest unit of its currency, for headlines. */
  roundMoney(micros: bigint | null, decimals: number): string {
    if (micros === null) return NONE;
    const unit = 10n ** BigInt(6 - decimals);
    return format.money(((micros + unit / 2n) / unit) * unit, decimals);
  },

  bytes(size: number): string {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    const power = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
    return `${(size / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
  },

  /** Formats a time as `2026-11-21 14:05`, in the installation's time zone. */
  moment(at: number | string, timeZone: string): string {
    return momentFormat(timeZone).format(new Date(at));
  },

  /** Formats a change as `+12.3 %`; null if there is nothing to compare with. */
  change(now: number, before: number): string | null {
    if (before === 0) return null;
    const change = (100 * (now - before)) / before;
    return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(Math.abs(change) < 10 ? 1 : 0)} %`;
  },
};
