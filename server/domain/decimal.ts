/**
 * Micros as an exact decimal: `2500n` is `0.002500`.
 *
 * @param fewest decimals to keep where they are zeros; 6 keeps all, so that columns line up
 */
export function decimal(micros: bigint, fewest = 6): string {
  const sign = micros < 0n ? '-' : '';
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0');
  const [whole, fraction] = [digits.slice(0, -6), digits.slice(-6)];
  const kept = fraction.slice(0, fewest) + fraction.slice(fewest).replace(/0+$/, '');
  return kept === '' ? sign + whole : `${sign}${whole}.${kept}`;
}
