import type { Creative } from '../models/schema/creative.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { DEFAULT_SOURCE } from '../models/schema/source.js';
import { type CheckedFeed, checkFeed, type FeedCreative } from './feed/check-feed.js';
import { describeFaults } from './fault-list.js';
import { readFeed } from './feed/read-feed.js';
import { applyReading, type ReadFeed } from './mapping/apply-reading.js';
import type { FeedReading } from './mapping/read-mapping.js';
import { findLeaving, quotedList } from './leaving.js';
import type { Progress } from './progress.js';

/** Rules that decide whether a feed may be published. */
export interface AcceptFeedOptions {
  readonly skipInvalid: boolean;
  readonly allowShrink: boolean;
  /** Whether all faults are listed. */
  readonly verbose: boolean;
  readonly timeZone: string;
  readonly currency: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly source: string;
  /** Advertisers that this source may share with other sources. */
  readonly sharedAdvertisers: readonly string[];
  /** By id: the source of each creative that has left but whose links still work. */
  readonly formerSources: ReadonlyMap<string, string>;
  readonly live: LiveRows;
  /** How the columns of the feed become fields. */
  readonly reading: FeedReading;
}

/** The live rows: those of the feed's source, and those of other sources. */
export interface LiveRows {
  readonly own: readonly Creative[];
  readonly others: readonly Creative[];
  /** Whether the languages of its own rows were detected by the current rules. */
  readonly isDetectionCurrent: boolean;
  /** Names of images that have passed the image check. */
  readonly checkedImages: ReadonlySet<string>;
}

/** A feed that was checked: its valid rows, its faults, and what it was read from. */
export interface AcceptedFeed extends CheckedFeed {
  readonly feed: Manifest['source'];
  /** What a mapping made of the feed; null: without a mapping. */
  readonly mapped: ReadFeed['mapped'];
}

/**
 * Reads and checks a feed, and prints its faults. Whether it may be published, `refuseFeed` decides.
 *
 * @throws FeedRefusedError if it cannot be read, or has faults that refuse it as a whole
 */
export async function examineFeed(file: string, rules: AcceptFeedOptions, progress: Progress): Promise<AcceptedFeed> {
  const { feed, origins, mapped, total } = await readRows(file, rules.reading);
  const step = progress.startStep('Checking', 0);
  const { own, others, isDetectionCurrent, checkedImages } = rules.live;
  const detected = isDetectionCurrent ? own : [];
  const checked = await checkFeed(feed, file, { ...rules, own, others, detected, checkedImages });
  for (const warning of checked.warnings) progress.warn(`${file}: warning: ${warning}`);
  for (const line of describeFaults(file, [...checked.fatal, ...checked.faults], rules.verbose, origins)) {
    progress.warn(line);
  }
  const leftOut = total - feed.entries.length;
  const left = leftOut === 0 ? '' : `, ${leftOut.toLocaleString('en')} left out`;
  step.end(`${count(total, 'row')} of ${feed.format}${left}, ${count(checked.rows.length, 'valid row')}`);
  if (checked.fatal.length > 0) throw new FeedRefusedError('The feed is refused as a whole; nothing was published.');
  // Leaves out the rows as they were read, which would otherwise stay in memory beside the checked ones.
  return { feed: { format: feed.format, digest: feed.digest }, mapped, ...checked };
}

/** Decides whether a checked feed may be published. @throws FeedRefusedError if not */
export function refuseFeed(checked: AcceptedFeed, rules: PublicationRules): void {
  refuseFaults(checked, rules);
  refuseShrinking(checked.rows, rules);
}

type PublicationRules = Pick<AcceptFeedOptions, 'skipInvalid' | 'allowShrink' | 'source' | 'live'>;

/** Reads a feed, and returns how many rows the file has besides. @throws FeedRefusedError */
async function readRows(file: string, reading: FeedReading): Promise<ReadFeed & { readonly total: number }> {
  try {
    const raw = await readFeed(file, reading.mapping?.columns, new Set(reading.fixed.keys()));
    return { ...(await applyReading(raw, reading)), total: raw.entries.length };
  } catch (error) {
    throw new FeedRefusedError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function refuseFaults({ faults }: CheckedFeed, { skipInvalid }: PublicationRules): void {
  if (faults.length === 0 || skipInvalid) return;
  throw new FeedRefusedError(
    `The feed is refused for ${count(faults.length, 'fault')}; nothing was published. ` +
      'Correct the lines above, or index the valid rest with --skip-invalid.',
  );
}

function refuseShrinking(rows: readonly FeedCreative[], rules: PublicationRules): void {
  if (rules.allowShrink) return;
  if (rows.length === 0) {
    throw new FeedRefusedError('The feed has no valid row; nothing was published. --allow-shrink publishes it anyway.');
  }
  const reasons = [...fewerThanHalf(rows.length, rules), ...removedAdvertisers(rows, rules)];
  if (reasons.length === 0) return;
  throw new FeedRefusedError(
    `${reasons.join('. ')}; nothing was published. To keep what is live beside this feed, give it a name: ` +
      '--source NAME. To replace what is live, add --allow-shrink.',
  );
}

function fewerThanHalf(valid: number, { live, source }: PublicationRules): string[] {
  if (valid >= live.own.length / 2) return [];
  const before = `the ${live.own.length.toLocaleString('en')} creatives that are live`;
  const ofSource = live.others.length === 0 ? '' : ` of source ${source}`;
  return [`The feed has ${count(valid, 'valid row')}, less than half of ${before}${ofSource}`];
}

/** How many advertisers a refusal names. */
const NAMED = 8;

/**
 * Checks feeds without a source name alone: such a feed may be another advertiser's, given by mistake. One with a name
 * replaces only its own rows.
 */
function removedAdvertisers(rows: readonly FeedCreative[], { live, source }: PublicationRules): string[] {
  const after = [...live.others, ...rows.map(({ creative }) => creative)];
  const { advertisers } = findLeaving([...live.own, ...live.others], after);
  if (source !== DEFAULT_SOURCE || advertisers.length === 0) return [];
  const more = advertisers.length - NAMED;
  const named = `${quotedList(advertisers.slice(0, NAMED))}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
  return [`${count(advertisers.length, 'advertiser')} would be removed: ${named}`];
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** Says why a feed is not published (exit code 1). The live catalogue stays as it is. */
export class FeedRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FeedRefusedError';
  }
}
