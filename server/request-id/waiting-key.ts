import type { Place } from '../../platform/cluster/place.js';
import type { SigningKey } from '../domain/secrets.js';
import { keyOf, type SigningKeyFile } from './stored-keys.js';

/**
 * Where a database is shared, a new key first verifies for so long and the one before goes on issuing: nodes learn of a key
 * within seconds, and one that does not know it would take the events of an ad for forged ones, for good.
 */
const SPREADS_WITHIN_MS = 60_000;

interface WaitingOptions extends Pick<Place, 'cluster'> {
  readonly given?: readonly SigningKey[] | null;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** A new key that does not issue yet. */
export interface Waiting {
  readonly newest: string;
  /** The one that goes on issuing, until when (epoch milliseconds). */
  readonly issuing: SigningKey;
  readonly until: number;
}

/**
 * Counted from when this node saw the key, since the one who made it may have another clock.
 *
 * @param before what has issued so far; undefined: this is the start
 * @returns null: the newest key issues
 */
export function waitingFor(
  { keys: [newest, ...others] }: SigningKeyFile,
  before: SigningKey | undefined,
  waiting: Waiting | null,
  { cluster, given, clock }: WaitingOptions,
): Waiting | null {
  if (!cluster || given || newest === undefined) return null;
  const [now, { id }] = [clock(), keyOf(newest)];
  if (before === undefined) {
    const madeAt = Date.parse(newest.createdAt);
    const last = others.find(({ retiredAt }) => retiredAt === newest.createdAt);
    if (last === undefined || Math.abs(now - madeAt) >= SPREADS_WITHIN_MS) return null;
    return { newest: id, issuing: keyOf(last), until: madeAt + SPREADS_WITHIN_MS };
  }
  if (before.id === id || !others.some((key) => keyOf(key).id === before.id)) return null;
  if (waiting?.newest === id) return now >= waiting.until ? null : waiting;
  return { newest: id, issuing: before, until: now + SPREADS_WITHIN_MS };
}
