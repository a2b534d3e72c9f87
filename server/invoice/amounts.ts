import { decimal, readMoney } from '../../models/text/money.js';
import type { Parties } from './billing/billing-file.js';
import { decimalsIn, isRounded, payableOf, roundedTo } from './payable.js';

/** What is owed for an exact total. */
export interface Amounts {
  /** The total, rounded once to the smallest unit of the currency. */
  readonly netMicros: bigint;
  /** Null: the invoice has no line of tax. */
  readonly tax: Tax | null;
  /** Net and tax. Negative: owed to the advertiser. */
  readonly payableMicros: bigint;
  /** The number of decimals of the currency. */
  readonly payableDecimals: number;
}

export interface Tax {
  readonly name: string;
  /** Per cent, such as `19`. */
  readonly rate: string;
  readonly micros: bigint;
}

/** Computes net, tax and payable of an exact total. Credits count like lines. @param currency ISO 4217 code */
export function amountsOf(totalMicros: bigint, currency: string, { seller, buyer }: Parties): Amounts {
  const { micros: netMicros, decimals: payableDecimals } = payableOf(totalMicros, currency);
  const rate = buyer?.taxRate ?? seller?.taxRate;
  if (rate === undefined) return { netMicros, tax: null, payableMicros: netMicros, payableDecimals };
  const micros = taxOf(netMicros, rate, payableDecimals);
  const tax = { name: seller?.taxName ?? 'Tax', rate, micros };
  return { netMicros, tax, payableMicros: netMicros + micros, payableDecimals };
}

/** Rounds the tax on the whole net amount once, half away from zero, as the net amount is. */
function taxOf(netMicros: bigint, rate: string, decimals: number): bigint {
  // A rate is read as money is: 19 per cent as 19,000,000 millionths of a percent.
  return roundedTo(decimals, netMicros * BigInt(readMoney(rate) ?? 0), 100_000_000n);
}

/** The amounts in an invoice's JSON. */
export interface WrittenAmounts {
  readonly payable?: unknown;
  readonly net?: unknown;
  readonly tax?: { readonly rate?: unknown; readonly amount?: unknown } | null;
}

/**
 * Returns whether a stored invoice's amounts follow from an exact total. Its tax rate is its own; earlier releases
 * rounded some currencies to other units.
 */
export function areAmountsOf({ payable, net, tax }: WrittenAmounts, totalMicros: bigint): boolean {
  if (!tax) return (net === undefined || net === payable) && isRounded(String(payable), totalMicros);
  if (!isRounded(String(net), totalMicros)) return false;
  const decimals = decimalsIn(String(net));
  const netMicros = roundedTo(decimals, totalMicros);
  const micros = taxOf(netMicros, String(tax.rate), decimals);
  return tax.amount === decimal(micros, decimals) && payable === decimal(netMicros + micros, decimals);
}
