/**
 * What is to be paid of an exact total: rounded once, to the smallest unit of the currency (cents, or whole yen), half away
 * from zero.
 *
 * @param currency ISO 4217 code
 * @returns micros, and how many decimals they have
 */
export function payableOf(
  totalMicros: bigint,
  currency: string,
): { readonly micros: bigint; readonly decimals: number } {
  const decimals = decimalsOf(currency);
  const unit = 10n ** BigInt(6 - decimals);
  const half = totalMicros < 0n ? -unit / 2n : unit / 2n;
  return { micros: ((totalMicros + half) / unit) * unit, decimals };
}

function decimalsOf(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return Math.min(6, maximumFractionDigits);
}
