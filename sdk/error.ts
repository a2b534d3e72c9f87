/**
 * Why there was no answer.
 *
 * `not-initialised` (`init` was not called, or not with a `pub_` key) · `invalid-argument` (no text, no element in the page) ·
 * `invalid-ad` (a field is missing or of the wrong kind, a URL is not http(s)) · `timeout` · `network` (offline, refused,
 * cut off; tried twice) · `http` (see `status`) · `aborted` · `unsupported` (something else that this browser or
 * page cannot do)
 */
export type ErrorCode =
  'not-initialised' | 'invalid-argument' | 'invalid-ad' | 'timeout' | 'network' | 'http' | 'aborted' | 'unsupported';

/** Why there was no ad and no answer either; its message is for the publisher's developer. */
export class AdsdkError extends Error {
  declare readonly code: ErrorCode;
  /** The response's status, where the code is `http`. */
  declare readonly status: number | undefined;

  constructor(code: ErrorCode, message: string = code, status?: number) {
    super('adsdk: ' + message);
    this.code = code;
    this.status = status;
  }
}

/** Any thrown value as a typed error. */
export function asError(thrown: unknown): AdsdkError {
  return thrown instanceof AdsdkError ? thrown : new AdsdkError('unsupported', String(thrown));
}
