import ipaddr from 'ipaddr.js';

/** Prefix length that identifies a site, the owner of IPv6 networks: a customer may be given 65,536 of them. */
const SITE_BITS = 48;
/** Max length of an address with zone and port, whatever a header contains. */
const MAX_CHARACTERS = 100;

/** A client's network, and the site, which may have many networks. */
export interface ClientNetwork {
  readonly network: string;
  readonly site: string;
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, since a customer's
 * network has 2^64 addresses; and the site: the /48 of an IPv6 address. All spellings of an address, with or without
 * port, give the same result. Text that is not an address stands for itself, cut to 45 characters.
 */
export function clientNetworkOf(address: string): ClientNetwork {
  const parsed = parseAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) {
    const name = parsed?.toString() ?? address.slice(0, 45);
    return { network: name, site: name };
  }
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
  const site = ipaddr.fromByteArray(parsed.toByteArray().fill(0, SITE_BITS / 8)).toString();
  return { network: `${[a, b, c, d].map((part) => part.toString(16)).join(':')}::/64`, site: `${site}/${SITE_BITS}` };
}

/** Returns the network only. */
export function networkOf(address: string): string {
  return clientNetworkOf(address).network;
}

/**
 * Whether an address is not public (loopback, private or link-local), and so often a proxy in front of many clients.
 */
export function isPrivate(address: string): boolean {
  return PRIVATE.has(parseAddress(address)?.range() ?? '');
}

const PRIVATE = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/**
 * Parses an address in any spelling. An IPv6 address that embeds an IPv4 address (`::ffff:192.0.2.1`, or `64:ff9b::`
 * behind a translator) becomes the IPv4 address. A port, which some proxies append, and a zone are dropped.
 *
 * @returns undefined for any other text
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const [, host = text] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  const withoutZone = host.replace(/%.*$/, '');
  // Forms with fewer parts or other bases are rejected: no proxy writes them.
  if (!ipaddr.IPv6.isValid(withoutZone) && !ipaddr.IPv4.isValidFourPartDecimal(withoutZone)) return undefined;
  const parsed = ipaddr.process(withoutZone);
  return parsed.range() === 'rfc6052' ? new ipaddr.IPv4(parsed.toByteArray().slice(-4)) : parsed;
}
