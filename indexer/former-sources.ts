import { readLandingUrls } from '../models/snapshot/landing-urls.js';
import type { LandingUrl } from '../models/snapshot/landing-urls-format.js';

/**
 * Returns, by id, the source of each creative that has left but whose links still work: another source must not send
 * their clicks elsewhere. A damaged table of landing URLs counts as empty; the end of the run reports it.
 *
 * @param now epoch milliseconds
 */
export async function readFormerSources(
  dataDir: string,
  now: number,
  clickWindowMs: number,
): Promise<ReadonlyMap<string, string>> {
  const { creatives } = await readLandingUrls(dataDir).catch(() => ({ creatives: new Map<string, LandingUrl>() }));
  const sources = new Map<string, string>();
  for (const [id, { source, leftAt }] of creatives) {
    const isFree = leftAt !== null && Date.parse(leftAt) + clickWindowMs <= now;
    if (source !== undefined && !isFree) sources.set(id, source);
  }
  return sources;
}
