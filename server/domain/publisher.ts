/** A publisher as identified by a live key, with its settings. */
export interface Publisher {
  /** The publisher's name, as given to `npm run keys -- create --publisher NAME` and shown in reports. */
  readonly name: string;
  /** True if the key is a test key: its events are counted separately and never billed. */
  readonly test: boolean;
  /** Min score at which this publisher shows an ad; null: the installation's floor. */
  readonly floor: number | null;
  readonly blockedCategories: readonly string[];
  readonly blockedAdvertisers: readonly string[];
  /** Sensitive topics that this publisher accepts ads on. */
  readonly allowedTopics: readonly string[];
  /** Languages (primary subtags) whose ads may be shown in conversations of any language. Absent: none. */
  readonly foreignLanguages?: readonly string[];
}

/**
 * Whose events count for a key: only browsers' (`browser`), or also those of apps and servers that show ads themselves
 * (`server`).
 */
export const KEY_MODES = ['server', 'browser'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/**
 * Why a key is rejected. All rejections are a 401. The metrics record the reason; the client is told only of a missing
 * header or a wrong origin.
 */
export type KeyRejection = (typeof KEY_REJECTIONS)[number];
export const KEY_REJECTIONS = ['missing', 'malformed', 'unknown', 'expired', 'deactivated', 'wrong-origin'] as const;

/** The result of checking a key: the publisher and its limits, or why it is rejected. */
export type KeyCheck =
  | {
      readonly valid: true;
      readonly keyId: string;
      readonly mode: KeyMode;
      readonly publisher: Publisher;
      readonly requestsPerMinute: number | null;
    }
  | { readonly valid: false; readonly fault: KeyRejection };

/** Checks presented keys against those on disk; changes take effect within about a second. */
export interface Keys {
  /** Compares keys of the right form in constant time. `origin` is the request's Origin header. */
  check(key: string | undefined, origin: string | undefined): KeyCheck;
  close(): Promise<void>;
}
