import type { ErrorCode } from './types.js';

/** Why there was no ad and no answer either; its message is for the publisher's developer. */
export class AdsdkError extends Error {
  readonly code: ErrorCode;
  /** The response's status, where the code is `http`. */
  readonly status: number | undefined;

  constructor(code: ErrorCode, message: string = code, status?: number) {
    super('adsdk: ' + message);
    this.code = code;
    this.status = status;
  }
}
