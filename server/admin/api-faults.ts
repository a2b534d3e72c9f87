import type { Context } from 'koa';
import type { Logger } from 'pino';
import { ReportQueryError } from '../reports/period.js';
import { reportsOutage } from './rendering/reports-outage.js';

/** Answers a program with why a report could not be made. @throws 400, 503 with `Retry-After` */
export async function apiFaults(ctx: Context, log: Pick<Logger, 'warn'>, next: () => Promise<unknown>): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (error instanceof ReportQueryError) ctx.throw(400, error.message);
    const outage = reportsOutage(error);
    if (outage === null) throw error;
    if (outage.isLogged) log.warn({ err: error }, 'reports cannot be read now');
    const headers = { 'Retry-After': String(outage.retryAfterSeconds) };
    // Koa would hide the message as that of an internal error.
    ctx.throw(503, outage.message, { expose: true, headers });
  }
}
