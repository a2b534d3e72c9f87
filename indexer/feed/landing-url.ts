import type { Fault } from '../../models/schema/check.js';

const field = 'landingUrl';
const EXPECTED = 'must be an http or https address, percent-encoded';

/**
 * Checks the address of a landing page more closely than the schema's `uri` format, which accepts an empty or invalid
 * host and credentials before it.
 *
 * @returns the fault, with the corrected address if there is one; null: there is none
 */
export function landingUrlFault(address: string): Fault | null {
  if (!/^https?:\/\//.test(address)) return { field, message: `${EXPECTED}; it must begin with https:// or http://` };
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.hostname === '') return { field, message: EXPECTED };
  // Credentials would be sent along, and people may mistake what precedes the @ for the host.
  if (url.username !== '' || url.password !== '') {
    return { field, message: 'must hold no user name or password before the host' };
  }
  if (address.search(FOREIGN) === -1) return null;
  const encoded = encodedUrl(address);
  return { field, message: `${EXPECTED}: ${encoded.slice(0, MAX_SHOWN)}${encoded.length > MAX_SHOWN ? '…' : ''}` };
}

/** Returns an address percent-encoded, as a browser would open it; unchanged if it is encoded already or is none. */
export function encodedUrl(address: string): string {
  if (address.search(FOREIGN) === -1 || !URL.canParse(address)) return address;
  // What browsers leave as it is, such as | and {} in a query, is no part of RFC 3986 either.
  return new URL(address).href.replaceAll(FOREIGN, (character) => encodeURIComponent(character));
}

const MAX_SHOWN = 200;

/** Characters that RFC 3986 does not allow in an address, and percent signs that encode nothing. */
const FOREIGN = /[^\w.~:/?#[\]@!$&'()*+,;=%-]|%(?![\da-f]{2})/giu;
