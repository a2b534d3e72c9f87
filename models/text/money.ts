/**
 * Parses an amount as an operator writes it: units of the currency (`12.50`, `5`), or micros with a suffix
 * (`12500000micros`). A bare number means units, as it does everywhere else; read as micros, it would stop a campaign
 * or serve it almost for free.
 *
 * @returns micros, or undefined for anything else, including a seventh decimal
 */
export function readMoney(text: string): number | undefined {
  const [, named] = /^(\d{1,16})micros$/.exec(text) ?? [];
  const [, whole, fraction = ''] = /^(\d{1,16})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (named === undefined && whole === undefined) return undefined;
  const micros = named === undefined ? BigInt(whole! + fraction.padEnd(6, '0')) : BigInt(named);
  return micros <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(micros) : undefined;
}

/**
 * Formats micros as an exact decimal: `2500n` as `0.002500`.
 *
 * @param minDecimals decimals to keep even if they are zeros; 6 keeps all, so that columns line up
 */
export function decimal(micros: bigint, minDecimals = 6): string {
  const sign = micros < 0n ? '-' : '';
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0');
  const [whole, fraction] = [digits.slice(0, -6), digits.slice(-6)];
  const kept = fraction.slice(0, minDecimals) + fraction.slice(minDecimals).replace(/0+$/, '');
  return kept === '' ? sign + whole : `${sign}${whole}.${kept}`;
}
