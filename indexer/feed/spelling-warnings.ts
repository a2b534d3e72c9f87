import type { Creative } from '../../models/schema/creative.js';
import { sourceOf } from '../../models/schema/source.js';
import { nameKey } from '../../models/text/name-key.js';
import { printable } from '../../platform/text/printable.js';
import type { CreativeRow } from './campaign.js';
import { describePosition } from './feed-entry.js';

/**
 * Returns a warning for each advertiser or campaign of a feed that is written in several ways, such as Nike and NIKE:
 * each is an account with budgets of its own, although nobody could tell them apart.
 *
 * @param others live creatives of other sources
 */
export function spellingWarnings(rows: readonly CreativeRow[], others: readonly Creative[]): string[] {
  const first = new Map<string, Spelling>();
  const elsewhere = distinct(others.map((creative) => [creative, `in source ${sourceOf(creative)}`]));
  for (const spelling of elsewhere) if (!first.has(spelling.key)) first.set(spelling.key, spelling);
  const warnings = new Map<string, string>();
  for (const spelling of distinct(
    rows.map(({ creative, position }) => [creative, `at ${describePosition(position)}`]),
  )) {
    const known = first.get(spelling.key);
    if (known === undefined) first.set(spelling.key, spelling);
    else if (known.name !== spelling.name) {
      const id = JSON.stringify([spelling.key, spelling.name]);
      if (!warnings.has(id)) warnings.set(id, describe(spelling, known));
    }
  }
  const more = warnings.size - LISTED;
  const listed = [...warnings.values()].slice(0, LISTED);
  return more <= 0 ? listed : [...listed, `${more.toLocaleString('en')} more names are written in several ways`];
}

const LISTED = 20;

/** A name as it is written somewhere. */
interface Spelling {
  readonly what: 'advertiser' | 'campaign';
  /** Equal for all spellings of one name, and of one advertiser's campaign. */
  readonly key: string;
  readonly name: string;
  readonly where: string;
}

/** Returns the spellings in creatives, each pair of advertiser and campaign once. */
function distinct(creatives: readonly (readonly [creative: Creative, where: string])[]): Spelling[] {
  const pairs = new Map<string, Spelling[]>();
  for (const [creative, where] of creatives) {
    const pair = JSON.stringify([creative.advertiser, creative.campaign]);
    if (!pairs.has(pair)) pairs.set(pair, spellingsIn(creative, where));
  }
  return [...pairs.values()].flat();
}

function spellingsIn({ advertiser, campaign }: Creative, where: string): Spelling[] {
  const owner = advertiser === null ? null : nameKey(advertiser);
  const spellings: Spelling[] = [];
  if (advertiser !== null) {
    spellings.push({ what: 'advertiser', key: JSON.stringify([owner]), name: advertiser, where });
  }
  if (campaign !== null) {
    spellings.push({ what: 'campaign', key: JSON.stringify([owner, nameKey(campaign)]), name: campaign, where });
  }
  return spellings;
}

function describe({ what, name, where }: Spelling, known: Spelling): string {
  return (
    `${what} “${printable(name)}” (${where}) is written “${printable(known.name)}” ${known.where}; ` +
    'each has budgets of its own: write it in one way'
  );
}
