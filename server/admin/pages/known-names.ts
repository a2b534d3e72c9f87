import { inBatches } from '../../../platform/time/in-batches.js';
import { printable } from '../../../platform/text/printable.js';
import { suggestNames } from '../../domain/names.js';
import { publisherNames } from '../../keys/key-file.js';
import type { Name } from '../../reports/report-query.js';
import type { PageOptions } from './page-options.js';
import type { NameFilters } from '../query/page-query.js';
import { isEmpty } from '../query/traffic.js';

/** Where names are known from. */
export type NameSources = Pick<PageOptions, 'keys' | 'campaigns' | 'catalogue' | 'runReport'>;

/** Comparing a name with more would block the event loop. */
const MAX_COMPARED = 5000;
/** No name is longer; comparing takes time by the square of the length. */
const MAX_LENGTH = 200;
/** How many characters of an unknown name are shown. */
const SHOWN = 80;
/** A list with more names would be most of its page. */
const MAX_OFFERED = 200;

/**
 * Returns a sentence for each filter by a name that is neither configured nor was ever counted, with names near it, as
 * commands do: a report of a typing error would look like one without traffic.
 */
export async function unknownNames(where: NameFilters, sources: NameSources): Promise<readonly string[]> {
  const sentences = (Object.entries(where) as [Name, string][]).map(async ([kind, name]) => {
    if (name === '' || (await wasCounted(kind, name, sources))) return [];
    const known = await configuredNames(kind, sources);
    if (known.has(name)) return [];
    // Publishers and advertisers may be known from figures alone; those of creatives would be too many.
    if (kind !== 'creative') for (const each of await countedNames(kind, sources)) known.add(each);
    const isComparable = known.size <= MAX_COMPARED && name.length <= MAX_LENGTH;
    const near = isComparable ? `; ${suggestNames(name, [...known])}` : '';
    return [`There is no ${kind} "${printable(name, SHOWN)}"${near}.`];
  });
  return (await Promise.all(sentences)).flat();
}

/** Returns names to offer in a form, without those of creatives and without lists that are too long. */
export async function offeredNames({ keys, catalogue }: Pick<NameSources, 'keys' | 'catalogue'>) {
  const campaigns = catalogue.campaigns();
  const offered = {
    publisher: publisherNames(await keys.read()),
    advertiser: advertisersOf(campaigns.values()),
    campaign: campaigns.size > MAX_OFFERED ? [] : [...campaigns.keys()],
  };
  return Object.fromEntries(
    Object.entries(offered).map(([kind, names]) => [kind, names.length > MAX_OFFERED ? [] : names.toSorted()]),
  );
}

/** Returns the advertisers of campaigns, and stops when they are too many to offer. */
function advertisersOf(campaigns: Iterable<readonly { readonly advertiser: string | null }[]>): string[] {
  const found = new Set<string>();
  for (const rows of campaigns) {
    for (const { advertiser } of rows) if (advertiser !== null) found.add(advertiser);
    if (found.size > MAX_OFFERED) break;
  }
  return [...found];
}

async function wasCounted(kind: Name, name: string, { runReport }: NameSources): Promise<boolean> {
  const { total, leftOut } = await runReport({ by: [], where: { [kind]: name }, test: false });
  return leftOut > 0 || !isEmpty(total);
}

async function countedNames(kind: Name, { runReport }: NameSources): Promise<readonly string[]> {
  const reports = await Promise.all([true, false].map((test) => runReport({ by: [kind], test })));
  return reports.flatMap(({ rows }) => rows.flatMap(({ group }) => group[kind] ?? []));
}

async function configuredNames(kind: Name, { keys, campaigns, catalogue }: NameSources): Promise<Set<string>> {
  if (kind === 'publisher') return new Set(publisherNames(await keys.read()));
  const names = new Set<string>();
  const add = (name: string | null | undefined): void => {
    if (name) names.add(name);
  };
  await inBatches(catalogue.all(), (creative) => add(kind === 'creative' ? creative.id : creative[kind]));
  if (kind !== 'creative') {
    const set = (await campaigns.read()).campaigns;
    for (const campaign of set) add(kind === 'campaign' ? campaign.name : campaign.advertiser);
  }
  return names;
}
