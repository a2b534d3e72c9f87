import { suggestNames } from '../../domain/names.js';
import { printable } from '../../../platform/text/printable.js';
import type { CampaignFile, CampaignName, StoredCampaign } from './campaign-file.js';
import { findSharedPayer } from './shared-payer.js';

/** The terms to set; an absent field keeps its value. */
export type CampaignChange = Partial<Omit<StoredCampaign, 'name' | 'of'>>;

/** A change that cannot be made. The message says why. */
export class CampaignChangeError extends Error {}

/**
 * Sets terms of a campaign in place of the feed's. Other terms set before stay, including those set for its name alone.
 *
 * @param feedAdvertisers the advertisers that have a campaign of this name in the feed; null: rows without an advertiser
 * @throws CampaignChangeError when the campaign would end before it starts, or its payer pays for another of this name
 */
export function setCampaign(
  file: CampaignFile,
  which: CampaignName,
  change: CampaignChange,
  feedAdvertisers: readonly (string | null)[] = [],
): StoredCampaign {
  let campaign = file.campaigns.find((each) => isSame(each, which));
  if (campaign === undefined) {
    const shared = file.campaigns.find((each) => isSame(each, { name: which.name }));
    file.campaigns.push((campaign = { ...structuredClone(shared), ...storedName(which) }));
  }
  Object.assign(campaign, change);
  const { startsAt, endsAt } = campaign;
  if (startsAt != null && endsAt != null && Date.parse(endsAt) <= Date.parse(startsAt)) {
    throw new CampaignChangeError(`${which.name} would end (${endsAt}) before it starts (${startsAt})`);
  }
  if (change.advertiser !== undefined) requireOwnPayer(file, which, feedAdvertisers);
  return campaign;
}

/**
 * Removes the terms set for a campaign: the feed's terms apply again.
 *
 * @param feedAdvertisers as for `setCampaign`
 * @throws CampaignChangeError when nothing was set, or the payer that applies again now pays for another campaign of
 * this name
 */
export function unsetCampaign(
  file: CampaignFile,
  which: CampaignName,
  feedAdvertisers: readonly (string | null)[] = [],
): void {
  const at = file.campaigns.findIndex((each) => isSame(each, which));
  if (at === -1) {
    const set = file.campaigns.map((each) => each.name);
    throw new CampaignChangeError(
      `nothing is set for "${which.name}"; campaigns list shows what is; ${suggestNames(which.name, set)}`,
    );
  }
  const [unset] = file.campaigns.splice(at, 1);
  if (unset?.advertiser !== undefined) requireOwnPayer(file, which, feedAdvertisers);
}

/**
 * Rejects a payer that pays for another campaign of this name: with two budgets for one account, neither could be kept.
 */
function requireOwnPayer(file: CampaignFile, which: CampaignName, feedAdvertisers: readonly (string | null)[]): void {
  const shared = findSharedPayer(file.campaigns, which, feedAdvertisers);
  if (shared === undefined) return;
  const [payer, name, owner] = [asOption(shared.payer), printable(which.name), asOption(shared.feedAdvertiser)];
  throw new CampaignChangeError(
    `"${payer}" pays for the campaign "${name}" of "${owner}" already; one account cannot have two budgets`,
  );
}

/**
 * Finds the campaign that a name refers to, from the feed and the terms already set. Terms set for the name alone, by
 * an earlier release or before a feed named it, are first copied to each advertiser that has a campaign of this name.
 *
 * @param feedAdvertisers the advertisers that have a campaign of this name in the feed; null: rows without an advertiser
 * @param requested one of them, if the name alone is not enough
 * @param isNew whether the campaign may be missing from the feed
 * @throws CampaignChangeError when several advertisers have such a campaign, or the requested one has none
 */
export function resolveCampaign(
  file: CampaignFile,
  name: string,
  feedAdvertisers: readonly (string | null)[],
  requested?: string | null,
  isNew = false,
): CampaignName {
  splitByAdvertiser(file, name, feedAdvertisers);
  const set = file.campaigns.filter((each) => each.name === name);
  const known = [...new Set([...feedAdvertisers, ...set.flatMap(({ of }) => (of === undefined ? [] : [of]))])];
  if (requested !== undefined) {
    if (isNew || known.includes(requested)) return { name, feedAdvertiser: requested };
    const near = suggestNames(requested ?? '', known.map(asOption));
    throw new CampaignChangeError(`${asOption(requested)} has no campaign "${printable(name)}"; ${near}`);
  }
  const [only, ...others] = known;
  if (others.length === 0) return only === undefined ? { name } : { name, feedAdvertiser: only };
  const list = known.map((each) => `"${asOption(each)}"`).join(', ');
  throw new CampaignChangeError(`several advertisers have a campaign "${printable(name)}"; --of says whose: ${list}`);
}

function splitByAdvertiser(file: CampaignFile, name: string, feedAdvertisers: readonly (string | null)[]): void {
  const shared = file.campaigns.findIndex((each) => isSame(each, { name }));
  if (shared === -1 || feedAdvertisers.length === 0) return;
  const { name: _, ...terms } = file.campaigns[shared]!;
  const missing = feedAdvertisers.filter(
    (feedAdvertiser) => !file.campaigns.some((each) => isSame(each, { name, feedAdvertiser })),
  );
  file.campaigns.splice(shared, 1, ...missing.map((of) => ({ name, of, ...structuredClone(terms) })));
}

function isSame(stored: StoredCampaign, { name, feedAdvertiser }: CampaignName): boolean {
  return stored.name === name && stored.of === feedAdvertiser;
}

function storedName({ name, feedAdvertiser }: CampaignName): Pick<StoredCampaign, 'name' | 'of'> {
  return feedAdvertiser === undefined ? { name } : { name, of: feedAdvertiser };
}

/** An advertiser as `--of` takes it. */
function asOption(feedAdvertiser: string | null): string {
  return feedAdvertiser === null ? 'none' : printable(feedAdvertiser);
}
