/**
 * An amount as an operator writes it: units of the currency (`12.50`, `5`), or micros where they are named
 * (`12500000micros`). A bare number is what it would be anywhere else; as micros it would stop or give away a campaign.
 *
 * @returns micros, or undefined for anything else, a seventh decimal included
 */
export function readMoney(text: string): number | undefined {
  const [, named] = /^(\d{1,16})micros$/.exec(text) ?? [];
  const [, whole, fraction = ''] = /^(\d{1,16})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (named === undefined && whole === undefined) return undefined;
  const micros = named === undefined ? BigInt(whole! + fraction.padEnd(6, '0')) : BigInt(named);
  return micros <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(micros) : undefined;
}

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
