import type { DataLocation } from '../../platform/cluster/data-location.js';
import type { SigningKey } from '../domain/signing-key.js';
import { keyOf, type SigningKeyFile } from './stored-signing-keys.js';

/**
 * With a shared database, a new key only verifies for this long while the previous one goes on issuing. Other nodes
 * learn of a key within seconds; a node that does not know it yet would count the events of its ads as forged,
 * permanently.
 */
const PROPAGATION_MS = 60_000;

interface PendingKeyOptions extends Pick<DataLocation, 'cluster'> {
  readonly given?: readonly SigningKey[] | null;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** A new key that does not issue yet. */
export interface PendingKey {
  readonly newest: string;
  /** The previous key, which goes on issuing. */
  readonly issuing: SigningKey;
  readonly until: number;
}

/**
 * Returns the new key that must wait, and until when. The wait is counted from when this node saw the key, since the
 * node that created it may have another clock.
 *
 * @param before the key that has issued so far; undefined: this is the start
 * @returns null: the newest key issues
 */
export function pendingKeyOf(
  { keys: [newest, ...others] }: SigningKeyFile,
  before: SigningKey | undefined,
  pending: PendingKey | null,
  { cluster, given, clock }: PendingKeyOptions,
): PendingKey | null {
  if (!cluster || given || newest === undefined) return null;
  const [now, { id }] = [clock(), keyOf(newest)];
  if (before === undefined) {
    const madeAt = Date.parse(newest.createdAt);
    const last = others.find(({ retiredAt }) => retiredAt === newest.createdAt);
    if (last === undefined || Math.abs(now - madeAt) >= PROPAGATION_MS) return null;
    return { newest: id, issuing: keyOf(last), until: madeAt + PROPAGATION_MS };
  }
  if (before.id === id || !others.some((key) => keyOf(key).id === before.id)) return null;
  if (pending?.newest === id) return now >= pending.until ? null : pending;
  return { newest: id, issuing: before, until: now + PROPAGATION_MS };
}
