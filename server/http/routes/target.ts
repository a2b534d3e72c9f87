import { setTimeout as pause } from 'node:timers/promises';
import type { RouterMiddleware } from '@koa/router';
import type { Logger } from 'pino';
import { count, type CountOptions } from './count.js';

/** Where creatives lead, those included that left the index within the click window. */
export interface LandingUrls {
  landingUrl(creativeId: string): string | null;
}

export interface TargetOptions extends CountOptions {
  readonly creatives: LandingUrls;
  readonly log: Pick<Logger, 'error'>;
}

/** The longest that a person waits for the ledger; the click is stored, or counted as lost, all the same. */
const MAX_WAIT_MS = 250;

/** `GET …/target/:creativeId`: counts the click and sends the person to the creative's landing page. */
export function target(options: TargetOptions): RouterMiddleware {
  return async (ctx) => {
    const creativeId = ctx.params['creativeId'] ?? '';
    const landingUrl = options.creatives.landingUrl(creativeId);
    if (landingUrl === null) return ctx.throw(404, 'there is no such creative');
    const counted = count(options, ctx, 'click', creativeId).catch((error: unknown) => {
      options.log.error({ err: error }, 'a click was not counted');
    });
    await Promise.race([counted, pause(MAX_WAIT_MS)]);
    ctx.set('Cache-Control', 'no-store');
    ctx.status = 302;
    // Through URL, since a header takes no letters beyond ASCII and a landing page's address may hold them.
    ctx.set('Location', new URL(landingUrl).href);
    ctx.body = '';
  };
}
