/**
 * A campaign's name in the audit log: with whose it is, since several advertisers may have one of a name.
 *
 * @param advertiser the feed's; null where it names none, undefined where it is not known
 */
export function campaignName(campaign: string, advertiser: string | null | undefined): string {
  return advertiser == null ? campaign : `${campaign} (${advertiser})`;
}
