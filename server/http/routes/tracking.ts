import type { Middleware, ParameterizedContext } from 'koa';
import type { RouterMiddleware } from '@koa/router';
import type { Logger } from 'pino';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import type { CountEvent } from '../../events/count-event.js';
import type { RequestIds } from '../../domain/claims.js';
import { API } from '../../domain/urls.js';
import { setRoute } from '../middleware/observe-requests.js';
import type { CatchUp } from '../../live-index/catch-up.js';
import type { Metrics } from '../../operation/metrics.js';
import type { Takedowns } from '../../takedown/live-takedowns.js';

/** The smallest GIF that every browser renders: one transparent pixel, 42 bytes. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/**
 * `GET …/beacon`: counts an impression (or a view, with `event=view`) and returns the pixel whatever the request id.
 * The one exception is an event that could not be made durable: 503, so that the client may retry.
 */
export function beacon(options: CountOptions): Middleware {
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    await countImpressionOrView(options, ctx);
    ctx.type = 'image/gif';
    ctx.body = PIXEL;
  };
}

/** @throws LedgerUnavailableError */
function countImpressionOrView(options: CountOptions, ctx: ParameterizedContext): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  return count(options, ctx, query.get('event') === 'view' ? 'view' : 'impression', query);
}

export interface BeaconFastPathOptions extends CountOptions {
  /** Headers that the middleware after this one sets on every response. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers `GET …/beacon` before the router and the middleware that sets headers one by one, which took a seventh of a
 * beacon's event-loop time (`test/bench/README.md`). All other requests pass through.
 *
 * @example app.use(beaconFastPath({ countEvent, metrics, clock, headers })); // after counting, logging and base path
 */
export function beaconFastPath({ headers, ...options }: BeaconFastPathOptions): Middleware {
  const own = { 'Cache-Control': 'no-store', 'Content-Type': 'image/gif', 'Content-Length': String(PIXEL.length) };
  const head = Object.entries({ ...headers, ...own }).flat();
  const path = `${API}/beacon`;
  return async (ctx, next) => {
    if (ctx.method !== 'GET' || ctx.path !== path) return next();
    setRoute(ctx, path);
    try {
      await countImpressionOrView(options, ctx);
    } catch (error) {
      ctx.set(headers);
      throw error;
    }
    ctx.respond = false;
    ctx.res.writeHead(200, head).end(PIXEL);
  };
}

/** Landing URLs of creatives, including those that left the index within the click window. */
export interface LandingUrlLookup {
  landingUrl(creativeId: string): string | null;
}

export interface TargetOptions extends CountOptions {
  readonly creatives: LandingUrlLookup;
  readonly takedowns: Pick<Takedowns, 'has'>;
  readonly requestIds: Pick<RequestIds, 'verify'>;
  /** Absent: this server has no other nodes and knows every ad that it served. */
  readonly catchUp?: CatchUp;
  readonly log: Pick<Logger, 'error'>;
}

/** Max delay of the redirect. By then, a click that the ledger could not store is usually in the spool. */
const MAX_WAIT_MS = 250;

/**
 * `GET …/target/:creativeId`: counts the click and redirects to the creative's landing page. When another node may have
 * served an ad that this one does not know, it asks the shared database, for at most two seconds; 503 if the answer
 * takes longer.
 */
export function target(options: TargetOptions): RouterMiddleware {
  return async (ctx) => {
    const creativeId = ctx.params['creativeId'] ?? '';
    const known = options.creatives.landingUrl(creativeId);
    const mustQuery = known === null && !options.takedowns.has(creativeId);
    const landingUrl = mustQuery ? await queryLandingUrl(options, ctx, creativeId) : known;
    // A creative published meanwhile may also have been taken down.
    const isTakenDown = options.takedowns.has(creativeId);
    if (landingUrl === null && !isTakenDown) return ctx.throw(404, 'there is no such creative');
    const query = new URLSearchParams(ctx.querystring);
    const counted = count(options, ctx, 'click', query, creativeId).catch((error: unknown) => {
      options.log.error({ err: error }, 'a click was not counted');
    });
    await atMost(MAX_WAIT_MS, counted);
    if (landingUrl === null || isTakenDown) return ctx.throw(410, 'this ad was taken down');
    ctx.set('Cache-Control', 'no-store');
    ctx.status = 302;
    // Encoded through URL: a header must be ASCII, and a landing URL may hold other characters.
    ctx.set('Location', new URL(landingUrl).href);
    ctx.body = '';
  };
}

/** Waits for a task, but no longer than this. No timer is left behind: there may be thousands of clicks a second. */
async function atMost(limitMs: number, task: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([task, limit]).finally(() => clearTimeout(timer));
}

/**
 * Looks up the landing URL in the shared database, only for an ad that was really served.
 *
 * @returns null when there is no such creative
 * @throws 503 with `Retry-After`
 */
async function queryLandingUrl(
  { creatives, takedowns, requestIds, catchUp, metrics }: TargetOptions,
  ctx: ParameterizedContext,
  creativeId: string,
): Promise<string | null> {
  const verified = requestIds.verify(requestIdOf(new URLSearchParams(ctx.querystring)));
  if (catchUp === undefined || !verified.valid || verified.claims.creative !== creativeId) return null;
  const isUpToDate = await catchUp.landingUrls();
  const landingUrl = creatives.landingUrl(creativeId);
  if (landingUrl === null && !isUpToDate && !takedowns.has(creativeId)) {
    metrics.events.inc({ kind: 'click', outcome: 'unavailable' });
    throwNotYetKnown(ctx, 'this ad');
  }
  return landingUrl;
}

/** @throws 503 with `Retry-After`: another node may know it */
export function throwNotYetKnown(ctx: ParameterizedContext, what: string): never {
  const options = { expose: true, headers: { 'Retry-After': '1' } };
  return ctx.throw(503, `${what} is not known here yet; try again shortly`, options);
}

export interface CountOptions {
  readonly countEvent: CountEvent;
  readonly metrics: Pick<Metrics, 'events'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * Counts the event of a beacon or target fetch, and its outcome in the metrics.
 *
 * @param creativeInPath the creative in the path, if the path names one
 * @throws LedgerUnavailableError when an impression or view could not be stored
 */
export async function count(
  { countEvent, metrics, clock }: CountOptions,
  ctx: ParameterizedContext,
  kind: EventKind,
  query: URLSearchParams,
  creativeInPath?: string,
): Promise<void> {
  const requestId = requestIdOf(query);
  const path = creativeInPath === undefined ? {} : { creativeInPath };
  const fetch = { kind, requestId, ...path, method: ctx.method, headers: ctx.headers, address: ctx.ip };
  try {
    const outcome = await countEvent(fetch, clock());
    metrics.events.inc({ kind, outcome: outcome.counted ? 'counted' : outcome.reason });
  } catch (error) {
    metrics.events.inc({ kind, outcome: 'unavailable' });
    throw error;
  }
}

/** Returns the first of several ids: a page's script may garble a query that is still genuine. */
function requestIdOf(query: URLSearchParams): string | undefined {
  return query.get('requestId') ?? undefined;
}
