import { type CheckedFeed, checkFeed } from './feed/check-feed.js';
import { describeFault } from './feed/feed-entry.js';
import { type Feed, readFeed } from './feed/read-feed.js';
import type { Progress } from './progress.js';

/** What decides whether a feed is taken. */
export interface AcceptFeedOptions {
  readonly skipInvalid: boolean;
  readonly allowShrink: boolean;
  readonly timeZone: string;
  readonly currency: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Creatives that are live now. */
  readonly liveCount: number;
}

/** A feed that may be published. */
export interface AcceptedFeed extends CheckedFeed {
  readonly feed: Feed;
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
  const checked = await checkFeed(feed, file, rules);
  for (const warning of checked.warnings) progress.warn(`${file}: warning: ${warning}`);
  for (const fault of [...checked.fatal, ...checked.faults]) progress.warn(describeFault(file, fault));
  step.end(`${count(checked.total, 'row')} of ${feed.format}, ${count(checked.rows.length, 'valid row')}`);
  refuseFaults(checked, rules);
  refuseShrinking(checked.rows.length, rules);
  return { feed, ...checked };
}

function refuseFaults({ fatal, faults }: CheckedFeed, { skipInvalid }: AcceptFeedOptions): void {
  if (fatal.length > 0) throw new FeedRefusedError('The feed is refused; nothing was published.');
  if (faults.length === 0 || skipInvalid) return;
  throw new FeedRefusedError(
    `The feed is refused for ${count(faults.length, 'fault')}; nothing was published. ` +
      'Correct the lines above, or index the valid rest with --skip-invalid.',
  );
}

function refuseShrinking(valid: number, { allowShrink, liveCount }: AcceptFeedOptions): void {
  if (allowShrink) return;
  if (valid === 0) {
    throw new FeedRefusedError(
      'The feed holds no valid row; nothing was published. --allow-shrink publishes an empty catalogue.',
    );
  }
  if (valid >= liveCount / 2) return;
  throw new FeedRefusedError(
    `The feed has ${count(valid, 'valid row')}, less than half of the ${liveCount.toLocaleString('en')} creatives that are ` +
      'live; nothing was published. If that is meant, add --allow-shrink.',
  );
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
