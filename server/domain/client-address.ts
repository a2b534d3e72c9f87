import { callerNetworkOf, networkOf, parseAddress } from './network.js';

/**
 * What stands for a client when addresses are compared: its network.
 *
 * @param address undefined, empty or no address at all where a connection was gone too soon: all of these are one client
 */
export function clientOf(address: string | undefined): string {
  return parseAddress(address ?? '') === undefined ? 'unknown' : networkOf(address!);
}

/** The same for who has the networks; an IPv4 address is its own. */
export function clientSiteOf(address: string | undefined): string {
  return parseAddress(address ?? '') === undefined ? 'unknown' : callerNetworkOf(address!).site;
}
