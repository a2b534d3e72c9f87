import { suggestNames } from '../../domain/names.js';
import { printable } from '../../../platform/text/printable.js';
import type { CampaignFile, StoredCampaign } from './campaign-file.js';
import { findSharedPayer } from './shared-payer.js';

/** A campaign by its name and, if known, its advertiser in the feed. */
export type CampaignName = Pick<StoredCampaign, 'name' | 'of'>;

/** The terms to set; an absent field keeps its value. */
export type CampaignChange = Partial<Omit<StoredCampaign, 'name' | 'of'>>;

/** A change that cannot be made. The message says why. */
export class CampaignChangeError extends Error {}

/**
 * Sets terms of a campaign in place of the feed's. Other terms set before stay, including those set for its name alone.
 *
 * @param advertisers the advertisers that have a campaign of this name in the feed; null: rows without an advertiser
 * @throws CampaignChangeError when the campaign would end before it starts, or its payer pays for another of this name
 */
export function setCampaign(
  file: CampaignFile,
  which: CampaignName,
  change: CampaignChange,
  advertisers: readonly (string | null)[] = [],
): StoredCampaign {
  let campaign = file.campaigns.find((each) => isSame(each, which));
  if (campaign === undefined) {
    const shared = file.campaigns.find((each) => isSame(each, { name: which.name }));
    file.campaigns.push((campaign = { ...structuredClone(shared), ...nameOf(which) }));
  }
  Object.assign(campaign, change);
  const { startsAt, endsAt } = campaign;
  if (startsAt != null && endsAt != null && Date.parse(endsAt) <= Date.parse(startsAt)) {
    throw new CampaignChangeError(`${which.name} would end (${endsAt}) before it starts (${startsAt})`);
  }
  if (change.advertiser !== undefined) requireOwnPayer(file, which, advertisers);
  return campaign;
}

/**
 * Removes the terms set for a campaign: the feed's terms apply again.
 *
 * @param advertisers as for `setCampaign`
 * @throws CampaignChangeError when nothing was set, or the payer that applies again now pays for another campaign of
 * this name
 */
export function unsetCampaign(
  file: CampaignFile,
  which: CampaignName,
  advertisers: readonly (string | null)[] = [],
): void {
  const at = file.campaigns.findIndex((each) => isSame(each, which));
  if (at === -1) {
    const set = file.campaigns.map((each) => each.name);
    throw new CampaignChangeError(
      `nothing is set for "${which.name}"; campaigns list shows what is; ${suggestNames(which.name, set)}`,
    );
  }
  const [unset] = file.campaigns.splice(at, 1);
  if (unset?.advertiser !== undefined) requireOwnPayer(file, which, advertisers);
}

/**
 * Rejects a payer that pays for another campaign of this name: with two budgets for one account, neither could be kept.
 */
function requireOwnPayer(file: CampaignFile, which: CampaignName, advertisers: readonly (string | null)[]): void {
  const shared = findSharedPayer(file.campaigns, which, advertisers);
  if (shared === undefined) return;
  const [payer, name, of] = [asOption(shared.payer), printable(which.name), asOption(shared.of)];
  throw new CampaignChangeError(
    `"${payer}" pays for the campaign "${name}" of "${of}" already; one account cannot have two budgets`,
  );
}

/**
 * Finds the campaign that a name refers to, from the feed and the terms already set. Terms set for the name alone, by
 * an earlier release or before a feed named it, are first copied to each advertiser that has a campaign of this name.
 *
 * @param advertisers the advertisers that have a campaign of this name in the feed; null: rows without an advertiser
 * @param of the requested advertiser, if any
 * @param isNew whether the campaign may be missing from the feed
 * @throws CampaignChangeError when several advertisers have such a campaign, or the requested one has none
 */
export function resolveCampaign(
  file: CampaignFile,
  name: string,
  advertisers: readonly (string | null)[],
  of?: string | null,
  isNew = false,
): CampaignName {
  splitByAdvertiser(file, name, advertisers);
  const set = file.campaigns.filter((each) => each.name === name);
  const known = [...new Set([...advertisers, ...set.flatMap((each) => (each.of === undefined ? [] : [each.of]))])];
  if (of !== undefined) {
    if (isNew || known.includes(of)) return { name, of };
    const near = suggestNames(of ?? '', known.map(asOption));
    throw new CampaignChangeError(`${asOption(of)} has no campaign "${printable(name)}"; ${near}`);
  }
  const [only, ...others] = known;
  if (others.length === 0) return only === undefined ? { name } : { name, of: only };
  const list = known.map((each) => `"${asOption(each)}"`).join(', ');
  throw new CampaignChangeError(`several advertisers have a campaign "${printable(name)}"; --of says whose: ${list}`);
}

function splitByAdvertiser(file: CampaignFile, name: string, advertisers: readonly (string | null)[]): void {
  const shared = file.campaigns.findIndex((each) => isSame(each, { name }));
  if (shared === -1 || advertisers.length === 0) return;
  const { name: _, ...terms } = file.campaigns[shared]!;
  const missing = advertisers.filter((of) => !file.campaigns.some((each) => isSame(each, { name, of })));
  file.campaigns.splice(shared, 1, ...missing.map((of) => ({ name, of, ...structuredClone(terms) })));
}

function isSame(one: CampaignName, other: CampaignName): boolean {
  return one.name === other.name && one.of === other.of;
}

function nameOf({ name, of }: CampaignName): CampaignName {
  return of === undefined ? { name } : { name, of };
}

/** An advertiser as `--of` takes it. */
function asOption(of: string | null): string {
  return of === null ? 'none' : printable(of);
}
