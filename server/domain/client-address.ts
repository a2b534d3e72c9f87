import { clientNetworkOf, networkOf, parseAddress } from './network.js';

/**
 * Returns the identity of a client for address comparisons: its network.
 *
 * @param address undefined, empty or not an address if the connection closed too soon; all of these are one client
 */
export function clientOf(address: string | undefined): string {
  return parseAddress(address ?? '') === undefined ? 'unknown' : networkOf(address!);
}

/** Returns the client's site in the same way; an IPv4 address is its own site. */
export function clientSiteOf(address: string | undefined): string {
  return parseAddress(address ?? '') === undefined ? 'unknown' : clientNetworkOf(address!).site;
}
