import ipaddr from 'ipaddr.js';

/** How much of an IPv6 address is one customer's: the rest is chosen freely, and a new one costs nothing. */
const IPV6_BITS = 64;

/**
 * What stands for a client when addresses are compared: an IPv4 address as it is, an IPv6 address by its first 64 bits, both
 * in one spelling. A port behind it, as some proxies write it, is dropped.
 *
 * @param address undefined, empty or no address at all where a connection was gone too soon: all of these are one client
 */
export function networkOf(address: string | undefined): string {
  const parsed = parseAddress(address ?? '');
  if (parsed === undefined) return 'unknown';
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = parsed.toByteArray().fill(0, IPV6_BITS / 8);
  return ipaddr.fromByteArray(network).toString();
}

/** An address in whatever spelling; one that holds an IPv4 address (`::ffff:192.0.2.1`) as that. @returns undefined for any other text */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [, host = text] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  const withoutZone = host.replace(/%.*$/, '');
  // Not the forms with fewer parts or other bases, which no proxy writes.
  if (!ipaddr.IPv6.isValid(withoutZone) && !ipaddr.IPv4.isValidFourPartDecimal(withoutZone)) return undefined;
  return ipaddr.process(withoutZone);
}
