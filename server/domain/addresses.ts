/** Everything of the contract stands below this path. */
export const API = '/api/v1/public/creatives';

/** The absolute addresses that an ad carries. */
export interface Addresses {
  image(file: string): string;
  impression(requestId: string): string;
  target(creativeId: string, requestId: string): string;
}

/** @param baseUrl what the world calls us, without a slash at the end; may have a path */
export function createAddresses(baseUrl: string): Addresses {
  const api = baseUrl + API;
  return {
    image: (file) => `${api}/images/${file}`,
    impression: (requestId) => `${api}/beacon?requestId=${encodeURIComponent(requestId)}`,
    target: (creativeId, requestId) =>
      `${api}/target/${encodeURIComponent(creativeId)}?requestId=${encodeURIComponent(requestId)}`,
  };
}
