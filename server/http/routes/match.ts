import { setMaxListeners } from 'node:events';
import type { Middleware } from 'koa';
import type { Ad } from '../../../models/schema/ad.js';
import { checker, type Fault } from '../../../models/schema/check.js';
import { MatchRequest } from '../../../models/schema/match-request.js';
import type { NoFillReason } from '../../../models/schema/event-kinds.js';
import { canonicalCountry } from '../../../models/text/country-code.js';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { type Admission, OverloadedError } from '../../decide/admission.js';
import { excludedBy } from '../../decide/eligibility.js';
import type { Decide, Decision, Requester } from '../../domain/decision.js';
import type { Publisher } from '../../domain/publisher.js';
import type { RateLimits } from '../../keys/rate-limits.js';
import type { Ledger } from '../../ledger/tables/ledger.js';
import { requireRate } from '../middleware/admit.js';
import type { KeyState, ValidKey } from '../middleware/publisher-key.js';
import { disclosureFor } from '../disclosure/disclosure.js';
import { newestMessages } from '../body/newest-messages.js';
import { readJson } from '../body/read-body.js';
import type { Metrics } from '../../operation/metrics.js';
import type { RequestIds } from '../../domain/claims.js';
import { languageLabel } from '../../domain/language-label.js';
import type { AdUrls } from '../../domain/urls.js';

export interface MatchOptions {
  readonly decide: Decide;
  readonly requestIds: Pick<RequestIds, 'issue'>;
  readonly ledger: Pick<Ledger, 'countDecision'>;
  readonly addresses: AdUrls;
  readonly metrics: Pick<Metrics, 'decisions' | 'decisionsByLanguage'>;
  readonly limitBytes: number;
  /** Header in which a proxy names the client's country; null: none does. */
  readonly countryHeader: string | null;
  readonly admission: Pick<Admission, 'run'>;
  readonly rateLimits: RateLimits;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** A session id is random text of the client; longer ones are cut to this length. */
const SESSION_CHARACTERS = 200;

/**
 * `POST …/match`: returns the most relevant ad for a context (200, with `Content-Language` if the ad's language is
 * known). Without an ad it returns 404 with `x-adjacent-reason`, or 204 with that header if the request has
 * `x-adjacent-no-ad: 204`, since browsers show a 404 as an error.
 */
export function match(options: MatchOptions): Middleware<KeyState> {
  const { countryHeader } = options;
  const check = checker(MatchRequest, { everyFault: false });
  // Compiles it now, not while the first request waits.
  check({});
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    const body = await readJson(ctx, options);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return ctx.throw(400, 'the body must be a JSON object');
    const request = check(newestMessages(body));
    if (!request.ok) return ctx.throw(400, describe(request.faults));

    const { publisher, mode } = ctx.state.key;
    const now = options.clock();
    const session = ctx.get('x-session-id').slice(0, SESSION_CHARACTERS) || undefined;
    const { exclude, disclosure } = request.value;
    // A proxy writes XX if it does not know the country.
    const country = countryHeader === null ? null : canonicalCountry(ctx.get(countryHeader));
    const excluded = exclude && excludedBy(exclude);
    const requester = { publisher, session, address: ctx.ip, now, country, ...(excluded && { excluded }) };
    const decision = await decideInTurn(ctx, options, request.value, requester);
    countDecision(options, decision, publisher, now);
    if (!decision.filled) {
      ctx.set('x-adjacent-reason', decision.reason);
      if (ctx.get('x-adjacent-no-ad') !== '204') return ctx.throw(404, NO_AD[decision.reason]);
      ctx.status = 204;
      return undefined;
    }
    const { language = decision.creative.writtenIn } = decision.creative;
    // The body holds only the published fields. Scripts of any origin may read this header.
    if (language !== undefined) ctx.set('Content-Language', language);
    const ad = toAd(options, decision, { publisher, mode }, now);
    ctx.body = disclosure === true ? { ...ad, disclosure: disclosureFor(decision) } : ad;
  };
}

/**
 * Decides when it is the client's turn and counts the request against its key. Drops texts that the encoder has not
 * started when the decision fails or the client disconnects.
 *
 * @throws 429 above the key's limit; OverloadedError, EncoderBusyError or SearchUnavailableError, for which the request
 * is not counted
 */
async function decideInTurn(
  ctx: Parameters<Middleware<KeyState>>[0],
  { decide, admission, rateLimits }: MatchOptions,
  request: MatchRequest,
  requester: Requester,
): Promise<Decision> {
  const { key, client } = ctx.state;
  requireRate(ctx, rateLimits);
  rateLimits.count(key, client);
  const over = new AbortController();
  // One listener per text of the conversation.
  setMaxListeners(0, over.signal);
  ctx.res.once('close', () => over.abort());
  try {
    return await admission.run(client, over.signal, () => decide(request, requester, over.signal));
  } catch (error) {
    if (over.signal.aborted) return ctx.throw(400, 'the client aborted the request');
    if (UNCOUNTED.some((type) => error instanceof type)) rateLimits.giveBack(key, client);
    throw error;
  } finally {
    over.abort();
  }
}

/** Errors on the server's side: a request that fails with one does not count against its key's rate limit. */
const UNCOUNTED = [OverloadedError, EncoderBusyError, SearchUnavailableError];

const NO_AD: Readonly<Record<NoFillReason, string>> = {
  'no-catalogue': 'no matching creative: no catalogue is published yet',
  'below-floor': 'no matching creative',
  sensitive: 'no matching creative: no ads on this subject',
  'not-eligible': 'no matching creative: none is eligible now',
  language: 'no matching creative: the language of the conversation is not supported',
};

type Filled = Extract<Decision, { filled: true }>;

function toAd(
  { requestIds, addresses }: MatchOptions,
  { creative, score }: Filled,
  { publisher, mode }: Pick<ValidKey, 'publisher' | 'mode'>,
  now: number,
): Ad {
  const requestId = requestIds.issue({
    publisher: publisher.name,
    creative: creative.id,
    campaign: creative.campaign,
    advertiser: creative.advertiser,
    pricing: creative.pricing,
    issuedAt: now,
    test: publisher.test,
    ...(mode === 'browser' ? { browsersOnly: true as const } : {}),
    limits: { totalMicros: creative.budgetMicros, dailyMicros: creative.dailyBudgetMicros },
  });
  return {
    id: creative.id,
    name: creative.name,
    text: creative.text,
    imageUrl: creative.imageFile === null ? null : addresses.image(creative.imageFile),
    impressionUrl: addresses.impression(requestId),
    targetUrl: addresses.target(creative.id, requestId),
    score,
  };
}

function countDecision({ ledger, metrics }: MatchOptions, decision: Decision, publisher: Publisher, now: number): void {
  const language = languageLabel(decision.language ?? null);
  metrics.decisions.inc({ reason: decision.filled ? 'filled' : decision.reason });
  metrics.decisionsByLanguage.inc({ language, outcome: decision.filled ? 'filled' : 'no-ad' });
  const result = decision.filled
    ? {
        filled: true as const,
        creative: decision.creative.id,
        campaign: decision.creative.campaign,
        advertiser: decision.creative.advertiser,
      }
    : { filled: false as const, reason: decision.reason };
  ledger.countDecision({ publisher: publisher.name, test: publisher.test, result, language, at: now });
}

/** Describes the first few faults: a list of a thousand messages may have a thousand. */
function describe(faults: readonly Fault[]): string {
  const listed = faults.slice(0, 5).map(({ field, message }) => `${field || 'the body'} ${message}`);
  return listed.join('; ') + (faults.length > listed.length ? `; and ${faults.length - listed.length} more` : '');
}
