import type { ParameterizedContext } from 'koa';
import type { EventKind } from '../../../models/schema/usage-event.js';
import type { CountEvent } from '../../events/count-event.js';
import type { Metrics } from '../../operation/metrics.js';

export interface CountOptions {
  readonly countEvent: CountEvent;
  readonly metrics: Pick<Metrics, 'events'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * Counts the event that a fetch of the beacon or a target stands for, and the outcome in the metrics.
 *
 * @param creativeInPath the creative that the path names, where it names one
 * @throws LedgerUnavailableError when an impression or view could not be stored
 */
export async function count(
  { countEvent, metrics, clock }: CountOptions,
  ctx: ParameterizedContext,
  kind: EventKind,
  creativeInPath?: string,
): Promise<void> {
  // Of several, the first: a query that a page's script has garbled is still a genuine one.
  const requestId = new URLSearchParams(ctx.querystring).get('requestId') ?? undefined;
  const path = creativeInPath === undefined ? {} : { creativeInPath };
  const fetch = { kind, requestId, ...path, method: ctx.method, headers: ctx.headers, address: clientAddress(ctx) };
  try {
    const outcome = await countEvent(fetch, clock());
    metrics.events.inc({ kind, outcome: outcome.counted ? 'counted' : outcome.reason });
  } catch (error) {
    metrics.events.inc({ kind, outcome: 'unavailable' });
    throw error;
  }
}

/** Behind a proxy that TRUST_PROXY does not cover, all clients have the proxy's address: it identifies nobody. */
function clientAddress({ app, headers, ip }: ParameterizedContext): string | undefined {
  const proxied = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
  return proxied && !app.proxy ? undefined : ip;
}
