import ipaddr from 'ipaddr.js';

/** How much of an IPv6 address names a network: the rest is chosen freely, and a new one costs nothing. */
const NETWORK_BITS = 64;
/** How much of it names who has the network: a customer may be given 65,536 of them. */
const SITE_BITS = 48;

/**
 * What stands for a client when addresses are compared: an IPv4 address as it is, an IPv6 address by its network, both in one
 * spelling. A port behind it, as some proxies write it, is dropped.
 *
 * @param address undefined, empty or no address at all where a connection was gone too soon: all of these are one client
 */
export function networkOf(address: string | undefined): string {
  return shortened(address, NETWORK_BITS);
}

/** The same for who has the networks; an IPv4 address is its own. */
export function siteOf(address: string | undefined): string {
  return shortened(address, SITE_BITS);
}

function shortened(address: string | undefined, bits: number): string {
  const parsed = parseAddress(address ?? '');
  if (parsed === undefined) return 'unknown';
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.fromByteArray(parsed.toByteArray().fill(0, bits / 8)).toString()}/${bits}`;
}

/**
 * An address in whatever spelling; one that holds an IPv4 address (`::ffff:192.0.2.1`, or `64:ff9b::` behind a translator) as
 * that.
 *
 * @returns undefined for any other text
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [, host = text] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  const withoutZone = host.replace(/%.*$/, '');
  // Not the forms with fewer parts or other bases, which no proxy writes.
  if (!ipaddr.IPv6.isValid(withoutZone) && !ipaddr.IPv4.isValidFourPartDecimal(withoutZone)) return undefined;
  const parsed = ipaddr.process(withoutZone);
  return parsed.range() === 'rfc6052' ? new ipaddr.IPv4(parsed.toByteArray().slice(-4)) : parsed;
}

/** Whether an address names nobody outside: loopback, private or link-local, so often a proxy in front of many callers. */
export function isPrivate(address: string): boolean {
  return PRIVATE.has(parseAddress(address)?.range() ?? '');
}

const PRIVATE = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);
