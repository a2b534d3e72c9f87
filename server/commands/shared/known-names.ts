import { UsageError } from '../../../platform/command-line/run-command.js';
import { readLandingUrls } from '../../../models/snapshot/landing-urls.js';
import { campaignStore } from '../../campaigns/terms/campaign-file.js';
import { readLiveCreatives } from '../../campaigns/terms/feed-campaigns.js';
import { defaultSettings, keyStore, publisherNames } from '../../keys/key-file.js';
import { ledgerLocation, openForReading, type LedgerSettings } from '../../ledger/database.js';
import { queries } from '../../ledger/tables/ledger-database.js';
import type { Name } from '../../reports/report-query.js';
import { suggestNames } from '../../domain/names.js';
import { printable } from '../../../platform/text/printable.js';
import type { Publisher } from '../../domain/publisher.js';

/** A name is unknown; the message suggests names near it. */
export class UnknownNameError extends Error {
  override readonly name = 'UnknownNameError';
}

/**
 * Rejects a name that was never counted and is in no feed, key or command. A typing error would otherwise return zeros,
 * or create a setting that applies to nothing.
 *
 * @param name an empty name means "none" and is known
 * @throws UnknownNameError
 */
export async function requireKnown(kind: Name, name: string, settings: LedgerSettings): Promise<void> {
  if (name === '') return;
  // The ledger first: counted names can be queried, whatever has become of the catalogue.
  const counted = countedNames(kind, settings);
  if (counted.includes(name)) return;
  const known = new Set([...counted, ...(await configuredNames(kind, settings.dataDir))]);
  known.delete('');
  if (!known.has(name))
    throw new UnknownNameError(`there is no ${kind} "${printable(name)}"; ${suggestNames(name, [...known])}`);
}

/**
 * Rejects unknown names that are compared without regard to case, such as those of a block list.
 *
 * @param kept names that are accepted without being known
 * @throws UnknownNameError naming the first unknown one
 */
export async function requireKnownLabels(
  kind: 'category' | 'advertiser',
  labels: readonly string[],
  settings: LedgerSettings,
  kept: readonly string[] = [],
): Promise<void> {
  if (labels.length === 0) return;
  const known = new Set(
    kind === 'category'
      ? (await readLiveCreatives(settings.dataDir)).flatMap(({ categories }) => categories)
      : [...countedNames(kind, settings), ...(await configuredNames(kind, settings.dataDir))],
  );
  known.delete('');
  const plain = new Set([...known, ...kept].map((name) => name.toLowerCase()));
  const unknown = labels.find((label) => !plain.has(label.toLowerCase()));
  if (unknown === undefined) return;
  throw new UnknownNameError(`there is no ${kind} "${printable(unknown)}"; ${suggestNames(unknown, [...known])}`);
}

function countedNames(kind: Name, settings: LedgerSettings): string[] {
  const database = openForReading(ledgerLocation(settings));
  try {
    const names = queries.selectFrom('dimension_sets').select(kind).distinct();
    return database.run<Record<string, string>>(names).map((row) => row[kind]!);
  } finally {
    database.close();
  }
}

async function configuredNames(kind: Name, dataDir: string): Promise<string[]> {
  if (kind === 'publisher') return publisherNames(await keyStore(dataDir).read());
  const creatives = await readLiveCreatives(dataDir);
  if (kind === 'creative') {
    // Creatives that left the feed recently are still in the table of landing URLs. The next index run reports a
    // damaged one.
    const left = await readLandingUrls(dataDir).then(
      (table) => [...table.creatives.keys()],
      () => [],
    );
    return [...creatives.map(({ id }) => id), ...left];
  }
  const { campaigns } = await campaignStore(dataDir).read();
  const set = campaigns.map((each) => (kind === 'campaign' ? each.name : (each.advertiser ?? '')));
  return [...set, ...creatives.map((creative) => creative[kind] ?? '')];
}

/**
 * Returns a publisher with its settings; without a name, one with default settings. @throws UsageError when there is no
 * such publisher
 */
export async function findPublisher(name: string | undefined, dataDir: string): Promise<Publisher> {
  if (name === undefined) return { ...defaultSettings('nobody'), test: false };
  const file = await keyStore(dataDir).read();
  const settings = file.publishers.find((publisher) => publisher.name === name);
  if (settings !== undefined) return { ...settings, test: false };
  const known = publisherNames(file);
  if (known.includes(name)) return { ...defaultSettings(name), test: false };
  throw new UsageError(`there is no publisher "${printable(name)}"; ${suggestNames(name, known)}`);
}
