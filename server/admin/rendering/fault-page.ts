import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import { isDatabaseUnreachable } from '../../../platform/cluster/database-unreachable.js';
import { UnknownOutcomeError } from '../../../platform/cluster/transaction.js';
import { ReportQueryError } from '../../reports/period.js';
import { reportsOutage } from './reports-outage.js';
import type { Show } from './show.js';

export interface FaultPageOptions {
  readonly show: Show;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

/** Shows errors in the dashboard as a page, since a person reads them, not a program. */
export async function faultPage(
  ctx: Context,
  { show, log }: FaultPageOptions,
  next: () => Promise<void>,
): Promise<void> {
  try {
    await next();
    if (ctx.status >= 400 && (ctx.body === undefined || ctx.body === null)) {
      showFault(
        ctx.status,
        ctx.status === 405 ? 'this page does not support this method' : 'there is nothing at this address',
      );
    }
  } catch (error) {
    const outage = reportsOutage(error);
    const known = error instanceof Koa.HttpError && error.expose;
    if (error instanceof ReportQueryError) showFault(400, error.message);
    else if (known) showFault(error.status, error.message);
    else if (error instanceof UnknownOutcomeError) showFault(503, error.message);
    else if (outage !== null) {
      if (outage.isLogged) log.warn({ err: error }, 'reports cannot be read now');
      showFault(503, `${outage.message}; ads are still being served`);
      ctx.set('Retry-After', String(outage.retryAfterSeconds));
    } else if (isDatabaseUnreachable(error)) {
      showFault(503, 'the database does not answer; ads are still being served');
      ctx.set('Retry-After', '5');
    } else {
      log.error({ err: error }, 'a page of the dashboard failed');
      showFault(500, 'something went wrong; the log says what');
    }
  }

  function showFault(status: number, message: string): void {
    show(ctx, 'fault', {
      title: TITLES[status] ?? 'The request failed',
      message,
      signedIn: ctx.state.session !== undefined,
    });
    ctx.status = status;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Not understood',
  403: 'Refused',
  404: 'Not found',
  500: 'Something went wrong',
  503: 'Not now',
};
