import type { Creative } from '../../models/schema/creative.js';
import { sourceOf } from '../../models/schema/source.js';
import { describePosition, type FeedFault, type FeedPosition } from './feed-entry.js';
import { TERMS, termText } from './term-text.js';

/** A creative and its position in the feed. */
export interface CreativeRow {
  readonly position: FeedPosition;
  readonly creative: Creative;
}

/**
 * Finds campaigns whose rows disagree. Rows that name one campaign of one advertiser must agree on its dates, price,
 * budgets and cap. If they disagree, the indexer cannot know which row is right, so every row of the campaign is at
 * fault. If another source has rows of the campaign, the feed must agree with those. Neither source can change terms
 * that both have, so the fault says how to change them.
 *
 * @param others live creatives of other sources
 * @returns faults by `campaignKey`, without campaigns whose rows agree
 */
export function campaignFaults(
  rows: readonly CreativeRow[],
  others: readonly Creative[],
): Map<string, readonly FeedFault[]> {
  const elsewhere = new Map(others.map((creative) => [campaignKey(creative), creative]));
  const faults = new Map<string, readonly FeedFault[]>();
  for (const [key, members] of byCampaign(rows)) {
    const reference = referenceFor(members[0]!, elsewhere.get(key));
    const found = members.map((row) => differences(row, reference));
    const first = members[found.findIndex(({ length }) => length > 0)];
    if (first === undefined) continue;
    const message = `the rows of “${members[0]!.creative.campaign}” disagree (first at ${describePosition(first.position)}), so none of them can be used`;
    faults.set(
      key,
      members.flatMap(({ position }, at) =>
        found[at]!.length > 0 ? found[at]! : [{ position, field: 'campaign', message }],
      ),
    );
  }
  return faults;
}

/** A row that cannot be used, and the fields that are wrong in it. */
export interface UnusableRow extends CreativeRow {
  readonly wrong: ReadonlySet<string>;
}

/**
 * Finds where rows that cannot be used for other reasons disagree with the rest of their campaign, so that an advertiser
 * hears of it in the same run. They make no other row faulty, since `--skip-invalid` leaves them out.
 */
export function unusableCampaignFaults(
  unusable: readonly UnusableRow[],
  rows: readonly CreativeRow[],
  others: readonly Creative[],
): FeedFault[] {
  const elsewhere = new Map(others.map((creative) => [campaignKey(creative), creative]));
  const known = unusable.filter(({ wrong }) => !wrong.has('advertiser') && !wrong.has('campaign'));
  const campaigns = byCampaign([...rows, ...known]);
  return known.flatMap((row) => {
    const first = campaigns.get(campaignKey(row.creative))?.[0];
    if (first === undefined) return [];
    const wrong = new Set([...row.wrong, ...('wrong' in first ? (first as UnusableRow).wrong : [])]);
    return differences(row, referenceFor(first, elsewhere.get(campaignKey(row.creative))), wrong);
  });
}

/**
 * Returns a key for an advertiser's campaign, since two advertisers may use one name; empty for a row without a
 * campaign.
 */
export function campaignKey({ advertiser, campaign }: Creative): string {
  return campaign === null ? '' : JSON.stringify([advertiser, campaign]);
}

function byCampaign(rows: readonly CreativeRow[]): Map<string, CreativeRow[]> {
  const campaigns = new Map<string, CreativeRow[]>();
  for (const row of rows) {
    const key = campaignKey(row.creative);
    if (key === '') continue;
    const members = campaigns.get(key);
    if (members === undefined) campaigns.set(key, [row]);
    else members.push(row);
  }
  return campaigns;
}

/** The creative that the rows of a campaign must agree with. */
interface Reference {
  readonly creative: Creative;
  readonly where: string;
  /** What to do if the row is right. */
  readonly advice: string;
}

function referenceFor({ position, creative }: CreativeRow, elsewhere: Creative | undefined): Reference {
  if (elsewhere === undefined) return { creative, where: `at ${describePosition(position)}`, advice: '' };
  const other = sourceOf(elsewhere);
  const advice =
    `; to change it for all, set it by npm run campaigns, or take the other source out (--source ${other} --remove) ` +
    'before you index this one and that one anew';
  return { creative: elsewhere, where: `in source ${other}`, advice };
}

function differences(
  { position, creative }: CreativeRow,
  reference: Reference,
  except: ReadonlySet<string> = new Set(),
): FeedFault[] {
  return TERMS.filter(
    (term) => !except.has(term) && termText(creative, term) !== termText(reference.creative, term),
  ).map((term) => ({
    position,
    // As most feeds write it: amounts in units.
    field: term.replace('Micros', ''),
    message:
      `is ${termText(creative, term)}, but ${termText(reference.creative, term)} ${reference.where}; ` +
      `all rows of campaign “${creative.campaign}” must agree${reference.advice}`,
  }));
}
