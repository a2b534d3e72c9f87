/**
 * Returns a campaign's name in the audit log, with its advertiser: several advertisers may use the same campaign name.
 *
 * @param advertiser the feed's; null: the feed names none; undefined: not known
 */
export function campaignName(campaign: string, advertiser: string | null | undefined): string {
  return advertiser == null ? campaign : `${campaign} (${advertiser})`;
}
