/** Every path of the public API is below this one. */
export const API = '/api/v1/public/creatives';

/** The absolute URLs that an ad carries. */
export interface AdUrls {
  image(file: string): string;
  impression(requestId: string): string;
  target(creativeId: string, requestId: string): string;
}

/** @param baseUrl public base URL, without a slash at the end; may have a path */
export function createAdUrls(baseUrl: string): AdUrls {
  const api = baseUrl + API;
  return {
    image: (file) => `${api}/images/${file}`,
    impression: (requestId) => `${api}/beacon?requestId=${encodeURIComponent(requestId)}`,
    target: (creativeId, requestId) =>
      // A snapshot of an older version may hold an id with half a character, which is no part of an address.
      `${api}/target/${encodeURIComponent(creativeId.toWellFormed())}?requestId=${encodeURIComponent(requestId)}`,
  };
}

/** Whether an address is this machine’s own: localhost and the loopback addresses. */
export function isLocal({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

/** Whether browsers take an address for one that nobody listens to: https, or this machine. Null is this machine. */
export function isTrustworthy(baseUrl: string | null): boolean {
  return baseUrl === null || baseUrl.startsWith('https:') || isLocal(new URL(baseUrl));
}
