import { readDuration, readMomentOrDuration } from '../../platform/time/moment.js';
import { KEY_MODES, type KeyMode } from '../domain/publisher.js';
import type { NewKey } from './key-operations.js';

/** Input for a new key, from a form or from a command's options. */
export interface NewKeyInput {
  readonly publisher: string | undefined;
  readonly test: boolean;
  /** Undefined: `browser` if origins are given, else `server`. */
  readonly mode?: string | undefined;
  readonly origins: readonly string[];
  /** A date-time, a date or a duration; undefined: never. */
  readonly expires: string | undefined;
  /** Undefined: no limit. */
  readonly requestsPerMinute: string | undefined;
}

/** Invalid input for a key. `field` is the name of the command's option, and the message begins with it. */
export class KeyInputError extends Error {
  override readonly name = 'KeyInputError';
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super(`${field} ${reason}`);
  }
}

/** Validates the input for a new key. @throws KeyInputError */
export function parseNewKey(input: NewKeyInput, timeZone: string, now: number): NewKey {
  const { expires, requestsPerMinute: perMinute } = input;
  if (perMinute !== undefined && !/^[1-9]\d{0,5}$/.test(perMinute)) {
    throw new KeyInputError('requests-per-minute', 'must be a whole number from 1 to 999999');
  }
  const expiresAt = readExpiry(expires, timeZone, now);
  const publisher = publisherName(input.publisher);
  const origins = input.origins.map(readOrigin);
  // A key in a page can be copied by anyone. In mode `server`, one address could load any number of paid impressions
  // with it.
  const mode = input.mode === undefined && origins.length > 0 ? 'browser' : input.mode;
  return {
    publisher,
    test: input.test,
    ...(mode === undefined ? {} : { mode: readMode(mode) }),
    origins,
    requestsPerMinute: perMinute === undefined ? null : Number(perMinute),
    expiresAt,
  };
}

/**
 * Reads when a key or token expires, in epoch milliseconds.
 *
 * @param text a date-time, a date or a duration; undefined: never, which is null
 * @throws KeyInputError
 */
export function readExpiry(text: string | undefined, timeZone: string, now: number): number | null {
  if (text === undefined) return null;
  const expiresAt = readMomentOrDuration(text, timeZone, now);
  if (expiresAt === undefined) {
    const expected = 'an RFC 3339 date-time, a date such as 2027-01-31 or a duration such as 90d';
    throw new KeyInputError('expires', `must be ${expected}`);
  }
  if (expiresAt <= now) throw new KeyInputError('expires', 'is in the past');
  return expiresAt;
}

/** Reads a key's mode. @throws KeyInputError */
export function readMode(text: string): KeyMode {
  const mode = KEY_MODES.find((known) => known === text);
  if (mode === undefined) throw new KeyInputError('mode', `must be one of ${KEY_MODES.join(', ')}`);
  return mode;
}

/** Reads how long a rotated key stays valid, in milliseconds. @throws KeyInputError */
export function readOverlap(text: string): number {
  const overlap = readDuration(text);
  if (overlap === undefined) throw new KeyInputError('overlap', 'must be a duration such as 24h, 30m or 0');
  return overlap;
}

/** Reads a publisher's name. @throws KeyInputError */
export function publisherName(text: string | undefined): string {
  return readName('publisher', text);
}

/**
 * Reads a name in any script. It is trimmed and stored in NFC, so that names that look the same are equal. Control
 * characters are refused.
 *
 * @param field the name of the command's option
 * @throws KeyInputError
 */
export function readName(field: string, text: string | undefined): string {
  const name = text?.normalize('NFC').trim();
  if (name === undefined || name === '') throw new KeyInputError(field, 'is missing');
  if (name.length > 200) throw new KeyInputError(field, 'must be at most 200 characters');
  if (/[\p{Cc}\p{Cs}\ufffd]/u.test(name)) throw new KeyInputError(field, 'must not contain control characters');
  return name;
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href) {
    throw new KeyInputError('origin', `must be an origin such as https://example.com, not ${text}${meantOrigin(text)}`);
  }
  return url.origin;
}

/** Suggests the origin probably meant by a URL with a path, or by a host without a scheme. */
function meantOrigin(text: string): string {
  const scheme = /^(localhost|127\.)/.test(text) ? 'http://' : 'https://';
  const address = /^https?:\/\//i.test(text) ? text : `${scheme}${text}`;
  if (/\s/.test(text) || !URL.canParse(address)) return '';
  const { origin, hostname } = new URL(address);
  return /\.|^localhost$/.test(hostname) ? `; did you mean ${origin}?` : '';
}
