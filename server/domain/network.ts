import ipaddr from 'ipaddr.js';

/** How much of an IPv6 address names who has the network: a customer may be given 65,536 of them. */
const SITE_BITS = 48;
/** With zone and port, whatever a header brings. */
const MOST_CHARACTERS = 100;

/** A caller's network, and the site that may have many of them. */
export interface CallerNetwork {
  readonly network: string;
  readonly site: string;
}

/**
 * Who is one caller: an IPv4 address, or the /64 of an IPv6 one, since a customer's network has 2^64 addresses; and who has the
 * networks, the /48 of an IPv6 address. However an address is written, with a port or without, these are written one way; what is
 * no address stands for itself, cut to 45 characters.
 */
export function callerNetworkOf(address: string): CallerNetwork {
  const parsed = parseAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) {
    const name = parsed?.toString() ?? address.slice(0, 45);
    return { network: name, site: name };
  }
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
  const site = ipaddr.fromByteArray(parsed.toByteArray().fill(0, SITE_BITS / 8)).toString();
  return { network: `${[a, b, c, d].map((part) => part.toString(16)).join(':')}::/64`, site: `${site}/${SITE_BITS}` };
}

/** The network alone. */
export function networkOf(address: string): string {
  return callerNetworkOf(address).network;
}

/** Whether an address names nobody outside: loopback, private or link-local, so often a proxy in front of many callers. */
export function isPrivate(address: string): boolean {
  return PRIVATE.has(parseAddress(address)?.range() ?? '');
}

const PRIVATE = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/**
 * An address in whatever spelling; one that holds an IPv4 address (`::ffff:192.0.2.1`, or `64:ff9b::` behind a translator) as
 * that. A port behind it, as some proxies write it, is dropped, and so is a zone.
 *
 * @returns undefined for any other text
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const [, host = text] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  const withoutZone = host.replace(/%.*$/, '');
  // Not the forms with fewer parts or other bases, which no proxy writes.
  if (!ipaddr.IPv6.isValid(withoutZone) && !ipaddr.IPv4.isValidFourPartDecimal(withoutZone)) return undefined;
  const parsed = ipaddr.process(withoutZone);
  return parsed.range() === 'rfc6052' ? new ipaddr.IPv4(parsed.toByteArray().slice(-4)) : parsed;
}
