import { decimal } from '../../models/text/money.js';

/**
 * Rounds an exact total once, to the smallest unit of the currency (cents, or whole yen), half away from zero.
 *
 * @param currency ISO 4217 code
 * @returns the payable micros, and the number of decimals of the currency
 */
export function payableOf(
  totalMicros: bigint,
  currency: string,
): { readonly micros: bigint; readonly decimals: number } {
  const decimals = decimalsOf(currency);
  return { micros: roundedTo(decimals, totalMicros), decimals };
}

/** Divides micros, exactly, and rounds the result to a number of decimals, half away from zero. */
export function roundedTo(decimals: number, micros: bigint, divisor = 1n): bigint {
  const unit = 10n ** BigInt(6 - decimals);
  const whole = divisor * unit;
  const half = micros < 0n ? -whole / 2n : whole / 2n;
  return ((micros + half) / whole) * unit;
}

/**
 * Currencies whose minor unit is not a hundredth, by ISO 4217 (list one of 2024-06-25). `Intl` returns how amounts are
 * usually shown (a Hungarian forint without its hundredths), which may change with a release of Node.
 */
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};

/** Returns the number of decimals of a currency's smallest unit: 2 for euros, 0 for yen. */
export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

/** Returns whether an invoice's amount is the exact total rounded to the amount's number of decimals. */
export function isRounded(amount: string, totalMicros: bigint): boolean {
  const decimals = decimalsIn(amount);
  return decimals <= 6 && decimal(roundedTo(decimals, totalMicros), decimals) === amount;
}

/** Returns the number of decimals of a written amount. */
export function decimalsIn(amount: string): number {
  return /\.(\d+)$/.exec(amount)?.[1]?.length ?? 0;
}
