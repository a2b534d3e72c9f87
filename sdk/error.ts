/**
 * Why a request failed.
 *
 * `not-initialised` (`init` was not called, or not with a `pub_` key; `createClient` was called with a wrong key or
 * address) · `invalid-argument` (no text, no element in the page, a session id that no header can hold) · `invalid-ad`
 * (a field is missing or of the wrong kind, a URL is not http(s)) · `timeout` · `network` (offline, refused or cut off,
 * after one retry) · `http` (see `status`) · `aborted` · `unsupported` (anything else that this browser or page cannot
 * do)
 */
export type ErrorCode =
  'not-initialised' | 'invalid-argument' | 'invalid-ad' | 'timeout' | 'network' | 'http' | 'aborted' | 'unsupported';

/** A failed request; the message is for the publisher's developer. */
export class AdsdkError extends Error {
  declare readonly code: ErrorCode;
  /** The HTTP status, if the code is `http`. */
  declare readonly status: number | undefined;
  /** Seconds until a retry may succeed, if the response has a `Retry-After` in seconds. */
  declare readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string = code, status?: number, retryAfter?: number) {
    super('adsdk: ' + message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Converts any thrown value to a typed error. */
export function asError(thrown: unknown): AdsdkError {
  return thrown instanceof AdsdkError ? thrown : new AdsdkError('unsupported', String(thrown));
}
