/**
 * Returns the service's base URL: the script's URL without `/sdk/adsdk.js` (or its hashed or module name), with any
 * path before it.
 */
export function serviceUrlOf(script: string | false): string | undefined {
  return /^(https?:.+)\/sdk\/adsdk[.\w]*\.m?js([?#]|$)/.exec(script as string)?.[1];
}
