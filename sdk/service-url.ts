/** The service's base URL: the script's URL less `/sdk/adsdk.js` (or its hashed or module name), any path before it kept. */
export function serviceUrlOf(script: string | false): string | undefined {
  return /^(https?:.+)\/sdk\/adsdk[.\w]*\.m?js([?#]|$)/.exec(script as string)?.[1];
}
