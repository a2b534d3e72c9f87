import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { LedgerUnavailableError } from '../../ledger/tables/ledger.js';

export interface ErrorFunnelOptions {
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Turns whatever goes wrong below it into `{error}` with its status: thrown errors, and statuses from 400 on that came
 * without a body (no such path, a method not allowed). Headers set before stay, so that CORS and `Allow` reach the caller.
 *
 * @example app.use(errorHandler({ log })); // before everything that may throw
 */
export function errorHandler({ log }: ErrorFunnelOptions): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status < 400 || (ctx.body !== undefined && ctx.body !== null)) return;
      // Only now: setting the body first would make the status 200.
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

const MESSAGES: Readonly<Record<number, string>> = {
  404: 'there is nothing at this path',
  405: 'this path does not answer this method; the Allow header names those it does',
  501: 'this server does not know this method',
};

interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
}

function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof EncoderBusyError) {
    return {
      status: 503,
      message: 'too many requests at once; try again shortly',
      headers: { 'Retry-After': String(error.retryAfterSeconds) },
    };
  }
  if (error instanceof SearchUnavailableError) {
    return {
      status: 503,
      message: 'ads cannot be searched just now; try again shortly',
      headers: { 'Retry-After': String(error.retryAfterSeconds) },
    };
  }
  if (error instanceof LedgerUnavailableError) {
    return { status: 503, message: 'the event could not be stored; send it again', headers: { 'Retry-After': '1' } };
  }
  if (error instanceof Koa.HttpError && error.expose) {
    return { status: error.status, message: error.message, headers: error.headers ?? {} };
  }
  // What went wrong inside is for the log: a message may quote what must not leave.
  return { status: 500, message: 'internal server error', headers: {} };
}
