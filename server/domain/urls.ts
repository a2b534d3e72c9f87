/** Prefix of every path of the public API. */
export const API = '/api/v1/public/creatives';

/** The absolute URLs that an ad carries. */
export interface AdUrls {
  image(file: string): string;
  impression(requestId: string): string;
  target(creativeId: string, requestId: string): string;
}

/** Creates the URLs. @param baseUrl public base URL, without a trailing slash; may have a path */
export function createAdUrls(baseUrl: string): AdUrls {
  const api = baseUrl + API;
  return {
    image: (file) => `${api}/images/${file}`,
    impression: (requestId) => `${api}/beacon?requestId=${encodeURIComponent(requestId)}`,
    target: (creativeId, requestId) =>
      // A snapshot of an older version may hold an id with a lone surrogate, which a URL cannot contain.
      `${api}/target/${encodeURIComponent(creativeId.toWellFormed())}?requestId=${encodeURIComponent(requestId)}`,
  };
}

/** Whether a URL is local to this machine: localhost and the loopback addresses. */
export function isLocal({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

/** Whether browsers treat a URL as trustworthy (unobserved by others): https, or this machine. Null is this machine. */
export function isTrustworthy(baseUrl: string | null): boolean {
  return baseUrl === null || baseUrl.startsWith('https:') || isLocal(new URL(baseUrl));
}
