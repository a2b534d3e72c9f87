/** The service's base URL: the script's URL less `/sdk/adsdk.js` (or its hashed or module name), any path before it kept. */
export function serviceUrlOf(script: unknown): string | undefined {
  return /^(https?:.+)\/sdk\/adsdk[.\w]*\.m?js([?#]|$)/.exec(String(script))?.[1];
}
