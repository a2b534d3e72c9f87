import type { CampaignFile } from './campaign-file.js';

/** A campaign whose terms are not, or not all, the feed's. */
export interface OverriddenCampaign {
  readonly campaign: string;
  /** What was set by command. */
  readonly fields: readonly string[];
}

/** The campaigns that commands have changed, for reports, which must say so. */
export function overriddenCampaigns({ campaigns }: CampaignFile): OverriddenCampaign[] {
  return campaigns.map(({ name, ...fields }) => ({ campaign: name, fields: Object.keys(fields) }));
}

/** One sentence for a person; empty where nothing was set. A name must not steer the terminal. */
export function overriddenNote(campaigns: readonly OverriddenCampaign[]): string {
  if (campaigns.length === 0) return '';
  const listed = campaigns.map(
    ({ campaign, fields }) => `${campaign.replace(/\p{C}/gu, '\ufffd')} (${fields.join(', ')})`,
  );
  return `Set by command, in place of what the feed says: ${listed.join('; ')}.\n`;
}
