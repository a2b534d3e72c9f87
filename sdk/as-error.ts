import { AdsdkError } from './error.js';

/** Any thrown value as a typed error. */
export function asError(thrown: unknown): AdsdkError {
  return thrown instanceof AdsdkError ? thrown : new AdsdkError('unsupported', String(thrown));
}
