import ipaddr from 'ipaddr.js';
import { parseAddress } from '../domain/network.js';

/** A set of addresses, given as ranges. */
export interface AddressRanges {
  /** Accepts any spelling of an address; returns false for text that is not an address. */
  has(address: string | undefined): boolean;
}

/** First and last address as 32 hexadecimal digits, so that string comparison orders them like numbers. */
type Range = readonly [first: string, last: string];

/** Shortest accepted prefixes. A wider range is a typing error: it would cover whole continents. */
const WIDEST = { ipv4: 8, ipv6: 16 };

/**
 * Reads a list with one address or CIDR range per line; text after `#` is a comment. Looks addresses up by binary
 * search, since such lists have tens of thousands of lines and every click is looked up.
 *
 * @throws Error naming the line that is invalid
 */
export function readAddressRanges(text: string): AddressRanges {
  const ranges = text.split('\n').flatMap((line, at) => readLine(line.replace(/#.*$/, '').trim(), at + 1));
  const merged: [string, string][] = [];
  for (const [first, last] of ranges.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)))) {
    const before = merged.at(-1);
    if (before === undefined || first > before[1]) merged.push([first, last]);
    else if (last > before[1]) before[1] = last;
  }
  return {
    has(address) {
      const parsed = parseAddress(address ?? '');
      return parsed !== undefined && holds(merged, digitsOf(parsed.toByteArray()));
    },
  };
}

/** Binary search for the last range that begins at or before the address. */
function holds(sorted: readonly Range[], digits: string): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]![0] <= digits) low = middle + 1;
    else high = middle;
  }
  const range = sorted[low - 1];
  return range !== undefined && digits <= range[1];
}

function readLine(line: string, number: number): Range[] {
  if (line === '') return [];
  const [, host = line, bits] = /^(.*)\/(\d{1,3})$/.exec(line) ?? [];
  const address = /^[[\d.]+:\d+$|^\[/.test(host) ? undefined : parseAddress(host);
  // An IPv6 spelling that holds an IPv4 address would count its prefix bits from another position.
  const kind =
    address !== undefined && host.includes(':') !== (address.kind() === 'ipv6') ? undefined : address?.kind();
  const maxBits = kind === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? maxBits : Number(bits);
  if (address === undefined || kind === undefined || prefix > maxBits) {
    throw new Error(`line ${number}: "${line}" is not an address range such as 192.0.2.0/24 or 2001:db8::/32`);
  }
  if (prefix < WIDEST[kind]) throw new Error(`line ${number}: "${line}" is wider than a /${WIDEST[kind]}`);
  return [rangeOf(address.toByteArray(), prefix)];
}

function rangeOf(bytes: number[], prefix: number): Range {
  const filled = (bit: 0 | 1): number[] =>
    bytes.map((byte, at) => {
      const free = 0xff >> Math.min(8, Math.max(0, prefix - 8 * at));
      return bit === 0 ? byte & ~free : byte | free;
    });
  return [digitsOf(filled(0)), digitsOf(filled(1))];
}

/** Maps IPv4 to its IPv6 form (`::ffff:…`). */
function digitsOf(bytes: number[]): string {
  const whole = bytes.length === 4 ? ipaddr.IPv4.parse(bytes.join('.')).toIPv4MappedAddress().toByteArray() : bytes;
  return Buffer.from(whole).toString('hex');
}
