import { suggestNames } from '../domain/names.js';
import type { CampaignFile, StoredCampaign } from './campaign-file.js';

/** What is set; a field that is absent stays as it is. */
export type CampaignChange = Partial<Omit<StoredCampaign, 'name'>>;

/** A change that cannot be made. The message says why. */
export class CampaignChangeError extends Error {}

/** Sets the given terms of a campaign, over the feed's; others stay. @throws CampaignChangeError when it would end before it starts */
export function setCampaign(file: CampaignFile, name: string, change: CampaignChange): StoredCampaign {
  let campaign = file.campaigns.find((each) => each.name === name);
  if (campaign === undefined) file.campaigns.push((campaign = { name }));
  Object.assign(campaign, change);
  const { startsAt, endsAt } = campaign;
  if (startsAt != null && endsAt != null && Date.parse(endsAt) <= Date.parse(startsAt)) {
    throw new CampaignChangeError(`${name} would end (${endsAt}) before it starts (${startsAt})`);
  }
  return campaign;
}

/** Forgets what was set: the feed's terms hold again. @throws CampaignChangeError when nothing was set */
export function unsetCampaign(file: CampaignFile, name: string): void {
  const at = file.campaigns.findIndex((each) => each.name === name);
  if (at === -1) {
    const set = file.campaigns.map((each) => each.name);
    throw new CampaignChangeError(
      `nothing is set for "${name}"; campaigns list shows what is; ${suggestNames(name, set)}`,
    );
  }
  file.campaigns.splice(at, 1);
}
