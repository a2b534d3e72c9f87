import ipaddr from 'ipaddr.js';

/**
 * Who is one caller: an IPv4 address, or the /64 of an IPv6 one, since a customer's network has 2^64 addresses. However
 * an address is written, its network is written one way; what is no address stands for itself, cut to 45 characters.
 */
export function networkOf(address: string): string {
  const parsed = parse(address);
  if (parsed === null) return address.slice(0, 45);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  // Behind an address translator, IPv4 callers differ in the last 32 bits alone.
  if (parsed.range() === 'rfc6052') return parsed.toNormalizedString();
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
  return `${[a, b, c, d].map((part) => part.toString(16)).join(':')}::/64`;
}

/** Whether an address names nobody outside: loopback, private or link-local, so often a proxy in front of many callers. */
export function isPrivate(address: string): boolean {
  return PRIVATE.has(parse(address)?.range() ?? '');
}

const PRIVATE = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/** IPv4 in IPv6 becomes IPv4; null: no address. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
