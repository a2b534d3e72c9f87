import ipaddr from 'ipaddr.js';
import { networkOf } from './network.js';

/** How much of an IPv6 address names who has the network: a customer may be given 65,536 of them. */
const SITE_BITS = 48;
/** With zone and port, whatever a header brings. */
const MOST_CHARACTERS = 100;

/**
 * What stands for a client when addresses are compared: its network. A port behind the address, as some proxies write it, is
 * dropped.
 *
 * @param address undefined, empty or no address at all where a connection was gone too soon: all of these are one client
 */
export function clientOf(address: string | undefined): string {
  const parsed = parseAddress(address ?? '');
  return parsed === undefined ? 'unknown' : networkOf(parsed.toString());
}

/** The same for who has the networks; an IPv4 address is its own. */
export function siteOf(address: string | undefined): string {
  const parsed = parseAddress(address ?? '');
  if (!(parsed instanceof ipaddr.IPv6)) return clientOf(address);
  return `${ipaddr.fromByteArray(parsed.toByteArray().fill(0, SITE_BITS / 8)).toString()}/${SITE_BITS}`;
}

/**
 * An address in whatever spelling; one that holds an IPv4 address (`::ffff:192.0.2.1`, or `64:ff9b::` behind a translator) as
 * that.
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
