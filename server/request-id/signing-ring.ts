import type { SigningKey } from '../domain/secrets.js';

/** Keys and installation that request ids are issued and read with, as they are now. */
export interface SigningKeys {
  readonly current: SigningRing;
}

/** One state of them. */
export interface SigningRing {
  readonly issuing: SigningKey;
  /** Every key that verifies, the issuing one first. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  find(keyId: string): SigningKey | undefined;
  /** Ours, 4 bytes in hex: what ids issued here carry. */
  readonly installation: string;
  /** Until when ads were answered whose ids count, epoch milliseconds, by installation; '' are ids that carry none. */
  readonly answeredUntil: ReadonlyMap<string, number>;
}

export interface RingOptions {
  /** The first one issues. A key that comes twice is one. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  readonly installation?: string;
  /** Of other installations, and of '' for ids without one. Absent: ids without one count, others do not. */
  readonly answeredUntil?: Iterable<readonly [installation: string, moment: number]>;
}

const NOWHERE = '00000000';
const WITHOUT: readonly (readonly [string, number])[] = [['', Infinity]];

export function createSigningRing({ keys, installation = NOWHERE, answeredUntil = WITHOUT }: RingOptions): SigningRing {
  const [issuing] = keys;
  // Of two that happen to have one id, the earlier one in the list: what is issued must verify.
  const known = new Map(keys.toReversed().map((key) => [key.id, key]));
  return {
    issuing,
    keys: [issuing, ...[...known.values()].filter(({ id }) => id !== issuing.id)],
    find: (keyId) => known.get(keyId),
    installation,
    answeredUntil: new Map([...answeredUntil, [installation, Infinity]]),
  };
}

/** Whether an ad answered at a moment (epoch milliseconds) under an installation's name was answered by this one. */
export function isOurs({ answeredUntil }: SigningRing, installation: string, issuedAt: number): boolean {
  return issuedAt <= (answeredUntil.get(installation) ?? -1);
}
