import type { Creative } from '../models/schema/creative.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { DEFAULT_SOURCE } from '../models/schema/source.js';
import { type CheckedFeed, checkFeed, type FeedCreative } from './feed/check-feed.js';
import { describeFault } from './feed/feed-entry.js';
import { readFeed } from './feed/read-feed.js';
import { findLeaving, quotedList } from './leaving.js';
import type { Progress } from './progress.js';

/** What decides whether a feed is taken. */
export interface AcceptFeedOptions {
  readonly skipInvalid: boolean;
  readonly allowShrink: boolean;
  readonly timeZone: string;
  readonly currency: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly source: string;
  /** Advertisers that this source may have beside others. */
  readonly sharedAdvertisers: readonly string[];
  /** Which source a creative was in whose links still lead somewhere, by id. */
  readonly formerSources: ReadonlyMap<string, string>;
  readonly live: LiveRows;
}

/** What is live now: the rows of the feed's source, and those of others. */
export interface LiveRows {
  readonly own: readonly Creative[];
  readonly others: readonly Creative[];
  /** Whether the languages of its own were detected as they would be today. */
  readonly isDetectedAlike: boolean;
}

/** A feed that may be published. */
export interface AcceptedFeed extends CheckedFeed {
  readonly feed: Manifest['source'];
}

/**
 * Reads a feed, prints everything that is wrong with it, and decides whether it may be published.
 *
 * @throws FeedRefusedError
 */
export async function acceptFeed(file: string, rules: AcceptFeedOptions, progress: Progress): Promise<AcceptedFeed> {
  const feed = await readFeed(file).catch((error: unknown) => {
    throw new FeedRefusedError(`${file} cannot be read: ${(error as Error).message}`);
  });
  const step = progress.startStep('Checking', 0);
  const { own, others, isDetectedAlike } = rules.live;
  const checked = await checkFeed(feed, file, { ...rules, own, others, detected: isDetectedAlike ? own : [] });
  for (const warning of checked.warnings) progress.warn(`${file}: warning: ${warning}`);
  for (const fault of [...checked.fatal, ...checked.faults]) progress.warn(describeFault(file, fault));
  step.end(`${count(checked.total, 'row')} of ${feed.format}, ${count(checked.rows.length, 'valid row')}`);
  refuseFaults(checked, rules);
  refuseShrinking(checked.rows, rules);
  // Not its rows as they were read, which would stay in memory with those that they became.
  return { feed: { format: feed.format, digest: feed.digest }, ...checked };
}

function refuseFaults({ fatal, faults }: CheckedFeed, { skipInvalid }: AcceptFeedOptions): void {
  if (fatal.length > 0) throw new FeedRefusedError('The feed is refused; nothing was published.');
  if (faults.length === 0 || skipInvalid) return;
  throw new FeedRefusedError(
    `The feed is refused for ${count(faults.length, 'fault')}; nothing was published. ` +
      'Correct the lines above, or index the valid rest with --skip-invalid.',
  );
}

function refuseShrinking(rows: readonly FeedCreative[], rules: AcceptFeedOptions): void {
  if (rules.allowShrink) return;
  if (rows.length === 0) {
    throw new FeedRefusedError(
      'The feed holds no valid row; nothing was published. --allow-shrink publishes it all the same.',
    );
  }
  const reasons = [...fewerThanHalf(rows.length, rules), ...vanishing(rows, rules)];
  if (reasons.length === 0) return;
  throw new FeedRefusedError(
    `${reasons.join('. ')}; nothing was published. If this feed is to stand beside what is live, give it a name: ` +
      '--source NAME. If it is to replace it, add --allow-shrink.',
  );
}

function fewerThanHalf(valid: number, { live, source }: AcceptFeedOptions): string[] {
  if (valid >= live.own.length / 2) return [];
  const before = `the ${live.own.length.toLocaleString('en')} creatives that are live`;
  const ofSource = live.others.length === 0 ? '' : ` of source ${source}`;
  return [`The feed has ${count(valid, 'valid row')}, less than half of ${before}${ofSource}`];
}

/** So many advertisers are named in a refusal. */
const NAMED = 8;

/** A feed with a name replaces its own rows alone; one without may be another advertiser's, given by mistake. */
function vanishing(rows: readonly FeedCreative[], { live, source }: AcceptFeedOptions): string[] {
  const after = [...live.others, ...rows.map(({ creative }) => creative)];
  const { advertisers } = findLeaving([...live.own, ...live.others], after);
  if (source !== DEFAULT_SOURCE || advertisers.length === 0) return [];
  const more = advertisers.length - NAMED;
  const named = `${quotedList(advertisers.slice(0, NAMED))}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
  return [`${count(advertisers.length, 'advertiser')} would vanish: ${named}`];
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** A feed that is not published, and why: exit code 1. What is live stays as it is. */
export class FeedRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FeedRefusedError';
  }
}
