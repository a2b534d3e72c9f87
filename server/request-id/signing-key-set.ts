import type { SigningKey } from '../domain/signing-key.js';

/** Access to the current keys and installation. */
export interface SigningKeys {
  readonly current: SigningKeySet;
}

/** One state of the keys and installation. */
export interface SigningKeySet {
  readonly issuing: SigningKey;
  /** Every verifying key, the issuing one first. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  find(keyId: string): SigningKey | undefined;
  /** This installation's id, 4 bytes in hex: carried by the ids issued here. */
  readonly installation: string;
  /**
   * For each installation whose ids count, until when it served ads, epoch milliseconds; '' stands for ids that carry
   * none.
   */
  readonly servedUntil: ReadonlyMap<string, number>;
}

export interface SigningKeySetOptions {
  /** The first key issues. Duplicates count once. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  readonly installation?: string;
  /** For other installations, and '' for ids without one. Absent: ids without one count, others do not. */
  readonly servedUntil?: Iterable<readonly [installation: string, moment: number]>;
}

const NO_INSTALLATION = '00000000';
const ONLY_IDS_WITHOUT_INSTALLATION: readonly (readonly [string, number])[] = [['', Infinity]];

export function createSigningKeySet({
  keys,
  installation = NO_INSTALLATION,
  servedUntil = ONLY_IDS_WITHOUT_INSTALLATION,
}: SigningKeySetOptions): SigningKeySet {
  const [issuing] = keys;
  // If two keys have the same id, the earlier one in the list wins: what is issued must verify.
  const known = new Map(keys.toReversed().map((key) => [key.id, key]));
  return {
    issuing,
    keys: [issuing, ...[...known.values()].filter(({ id }) => id !== issuing.id)],
    find: (keyId) => known.get(keyId),
    installation,
    servedUntil: new Map([...servedUntil, [installation, Infinity]]),
  };
}

/**
 * Whether this installation served an ad, given the installation id in its request id and its issue time (epoch
 * milliseconds).
 */
export function isOurs({ servedUntil }: SigningKeySet, installation: string, issuedAt: number): boolean {
  return issuedAt <= (servedUntil.get(installation) ?? -1);
}
