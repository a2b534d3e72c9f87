import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { OverloadedError } from '../../decide/admission.js';
import { LedgerUnavailableError } from '../../ledger/tables/ledger.js';

export interface ErrorHandlerOptions {
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Turns every error below it into `{error}` with its status: thrown errors, and statuses of 400 and above without a
 * body (unknown path, method not allowed). Headers set before stay, so that CORS headers and `Allow` reach the client.
 *
 * @example app.use(errorHandler({ log })); // before everything that may throw
 */
export function errorHandler({ log }: ErrorHandlerOptions): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status < 400 || (ctx.body !== undefined && ctx.body !== null)) return;
      // Set the status last: setting the body would make it 200.
      const { status } = ctx;
      ctx.body = { error: MESSAGES[status] ?? ctx.message.toLowerCase() };
      ctx.status = status;
    } catch (error) {
      const { status, message, headers } = answerTo(error);
      if (status === 500) log.error({ err: error }, 'a request failed');
      ctx.status = status;
      ctx.set(headers);
      ctx.body = { error: message };
    }
    ctx.set('Cache-Control', 'no-store');
  };
}

/**
 * Logs errors after a response began, which only cut it short. Clients that disconnect are usual; a file that cannot be
 * read is not.
 *
 * @example app.on('error', logCutResponse(log));
 */
export function logCutResponse(log: Pick<Logger, 'debug' | 'error'>): (error: unknown) => void {
  return (error) => {
    const isGone = CLIENT_GONE.has((error as { code?: string }).code ?? '');
    log[isGone ? 'debug' : 'error']({ err: error }, 'a response was cut short');
  };
}

const CLIENT_GONE: ReadonlySet<string> = new Set([
  'ECANCELED',
  'ECONNABORTED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
]);

const MESSAGES: Readonly<Record<number, string>> = {
  404: 'there is nothing at this path',
  405: 'this path does not support this method; the Allow header lists those it does',
  501: 'this server does not know this method',
};

interface ErrorResponse {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
}

function answerTo(error: unknown): ErrorResponse {
  if (error instanceof OverloadedError || error instanceof EncoderBusyError) {
    return {
      status: 503,
      message: 'too many requests at once; try again shortly',
      headers: { 'Retry-After': String(error.retryAfterSeconds) },
    };
  }
  if (error instanceof SearchUnavailableError) {
    return {
      status: 503,
      message: 'the ad search is unavailable; try again shortly',
      headers: { 'Retry-After': String(error.retryAfterSeconds) },
    };
  }
  if (error instanceof LedgerUnavailableError) {
    return { status: 503, message: 'the event could not be stored; send it again', headers: { 'Retry-After': '1' } };
  }
  if (error instanceof Koa.HttpError && error.expose) {
    return { status: error.status, message: error.message, headers: error.headers ?? {} };
  }
  // Internal errors go to the log only: the message may quote data that must not leave the server.
  return { status: 500, message: 'internal server error', headers: {} };
}
