/**
 * An amount as an operator writes it: digits alone are micros (`12500000`), digits with a decimal point are units of the
 * currency (`12.50`), so that the same text never means both.
 *
 * @returns micros, or undefined for anything else, a seventh decimal included
 */
export function readMoney(text: string): number | undefined {
  const [, whole, fraction] = /^(\d{1,16})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const micros = fraction === undefined ? BigInt(whole) : BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return micros <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(micros) : undefined;
}
