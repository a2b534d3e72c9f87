import { randomBytes } from 'node:crypto';
import type { ServerLedger } from '../../server/ledger/server-ledger.js';
import type { Claims } from '../../server/domain/claims.js';
import { momentsBetween } from '../support/plausible-month.js';
import { DAY } from '../../platform/time/durations.js';
import type { Books } from './books.js';
import { actsOf, type Act } from './click-model.js';
import { bookAct, isAd, isUnproved, type FilledDecision, type SimulatedDecision } from './simulated-decision.js';
import type { Terms } from './terms.js';

export interface FillOptions {
  readonly ledger: Pick<ServerLedger, 'record' | 'ignore' | 'countDecision'>;
  /** Terms in force in that month, by creative. */
  readonly terms: ReadonlyMap<string, Terms>;
  readonly books: Books;
  readonly random: () => number;
  /** Epoch milliseconds; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** How many events are awaited together: fewer than a ledger may queue. */
const AT_ONCE = 20_000;
/** Share of the ads over budget that were served before the budget was spent. */
const ANSWERED_BEFORE = 0.1;
const QUARTER_OF_AN_HOUR_OF_A_DAY = 1 / 96;

/**
 * Repeats responses of the drive at other times of a month, with newly drawn acts, through the ledger's `record`, until
 * there are enough events.
 */
export async function fillMonth(
  answers: readonly SimulatedDecision[],
  events: number,
  options: FillOptions,
): Promise<void> {
  const { ledger, terms, books, random, from, to } = options;
  const repeated = answers.map((answer) =>
    isAd(answer) ? { ...answer, terms: terms.get(answer.terms.creative)! } : answer,
  );
  const momentOf = momentsBetween(from, to);
  const prefix = randomBytes(8).toString('hex');
  const begun = books.events;
  const waiting: Promise<unknown>[] = [];
  let ids = 0;
  const freshId = (): string => prefix + (ids++).toString(16).padStart(16, '0');

  while (books.events - begun < events) {
    const at = momentOf((books.events - begun) / events);
    const answer = repeated[Math.floor(random() * repeated.length)]!;
    const { publisher, test } = answer;
    if (!isAd(answer) || (outOfBudget(answer, at, books) && random() > ANSWERED_BEFORE)) {
      const reason = answer.reason ?? 'not-eligible';
      books.decided(at, { publisher, ad: null, test }, reason);
      ledger.countDecision({ publisher, test, result: { filled: false, reason }, at });
      continue;
    }
    const { creative, campaign, advertiser } = answer.terms;
    books.decided(at, { publisher, ad: answer.terms, test }, null);
    ledger.countDecision({ publisher, test, result: { filled: true, creative, campaign, advertiser }, at });
    const [claims, own] = [claimsOf(answer, at), freshId()];
    let moment = at;
    for (const act of actsOf(answer, random)) {
      moment = Math.min(to - 1, moment + Math.floor(random() * 20_000));
      bookAct(books, answer, act, moment);
      const stored = record(act, test);
      if (stored === null) ignore(ledger, act, claims, moment);
      else {
        const event = { kind: act.kind, id: stored === 'own' ? own : freshId(), claims, at: moment };
        const needsShown = isUnproved(act.kind, answer.terms, test);
        waiting.push(ledger.record(needsShown ? { ...event, needsShown } : event));
      }
    }
    if (waiting.length >= AT_ONCE) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
}

/**
 * Returns under which request id the ledger should store an act; null if the act is ignored before it reaches the
 * ledger.
 */
function record({ manner }: Act, test: boolean): 'own' | 'another' | null {
  if (manner === 'plain' || manner === 'again' || manner === 'unshown') return 'own';
  return manner === 'late' || (manner === 'rapid' && test) ? 'another' : null;
}

function ignore(ledger: FillOptions['ledger'], { kind, manner }: Act, claims: Claims, at: number): void {
  if (manner === 'plain' || manner === 'again' || manner === 'late' || manner === 'unshown') return;
  const known = manner !== 'missing' && manner !== 'invalid';
  ledger.ignore({ kind, reason: manner, claims: known ? claims : null, at });
}

/** Returns whether the ad would not be eligible: its daily or total budget is spent, or it is ahead of an even pace. */
function outOfBudget({ terms, test }: FilledDecision, at: number, books: Books): boolean {
  if (test) return false;
  const kind = terms.pricing?.model === 'cpc' ? 'click' : 'impression';
  const { day, total } = books.used(at, terms, kind);
  const pace = terms.even ? Math.min(1, (at % DAY) / DAY + QUARTER_OF_AN_HOUR_OF_A_DAY) : 1;
  return total > 1 || day > pace;
}

function claimsOf({ terms, publisher, test }: FilledDecision, issuedAt: number): Claims {
  const { creative, campaign, advertiser, pricing, totalMicros, dailyMicros } = terms;
  const limits = { totalMicros, dailyMicros };
  return { publisher, creative, campaign, advertiser, pricing, issuedAt, test, limits };
}
