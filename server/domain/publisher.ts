/** A publisher as a live key names it, with what it has set for its own decisions. */
export interface Publisher {
  /** The publisher's name, as given to `npm run keys -- create --publisher NAME`; what reports show. */
  readonly name: string;
  /** True when the key is a test key: its events are kept apart and never billed. */
  readonly test: boolean;
  /** Lowest score at which this publisher shows an ad; null: the installation's floor. */
  readonly floor: number | null;
  readonly blockedCategories: readonly string[];
  readonly blockedAdvertisers: readonly string[];
  /** Sensitive topics that this publisher accepts ads on. */
  readonly allowedTopics: readonly string[];
  /** Languages (primary subtags) whose ads may be shown in conversations of any language. Absent: none. */
  readonly foreignLanguages?: readonly string[];
}

/** Whose fetches count for a key: a page's in a browser, or also those of apps and servers that show ads themselves. */
export const KEY_MODES = ['server', 'browser'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** Why a key is not live. All are a 401; the operator's metrics have the fault, the caller learns of a missing header alone. */
export type KeyRejection = 'missing' | 'malformed' | 'unknown' | 'expired' | 'deactivated' | 'wrong-origin';

/** A presented key: the publisher behind it and its limits, or why it is refused. */
export type KeyCheck =
  | {
      readonly live: true;
      readonly keyId: string;
      readonly mode: KeyMode;
      readonly publisher: Publisher;
      readonly requestsPerMinute: number | null;
    }
  | { readonly live: false; readonly fault: KeyRejection };

/** Checks presented keys against what is on disk, following changes by itself within 5 s. */
export interface Keys {
  /** In constant time for keys of the right form. `origin` is the request's Origin header. */
  check(key: string | undefined, origin: string | undefined): KeyCheck;
  close(): Promise<void>;
}
