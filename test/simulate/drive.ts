import pLimit, { type LimitFunction } from 'p-limit';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ad } from '../../models/schema/ad.js';
import type { NoFillReason } from '../../models/schema/event-kinds.js';
import { API } from '../../server/domain/urls.js';
import { randomNumbers } from '../support/plausible-month.js';
import { createAdVisit, type VisitOptions } from './ad-visit.js';
import { type SimulatedDecision, isAd } from './simulated-decision.js';
import { actsOf } from './click-model.js';
import type { Person } from './people.js';
import type { Terms } from './terms.js';

export interface DriveOptions extends Omit<VisitOptions, 'address' | 'inOrder'> {
  /** The key of each publisher. */
  readonly keys: ReadonlyMap<string, string>;
  readonly terms: ReadonlyMap<string, Terms>;
  readonly seed: number;
}

const SESSIONS_AT_ONCE = 12;
/**
 * Maximum duration of a request. One sent before midnight and counted after it would be on another day than in the
 * books.
 */
const LONGEST_MS = 20_000;
/** A server that still refuses after this many tries has a fault other than a busy machine. */
const MOST_TRIES = 60;

/**
 * Simulates people who request ads from a running server over HTTP, view and click them.
 *
 * @returns all responses, session by session
 * @throws Error if a response violates the API contract
 */
export async function drive(sessions: readonly Person[], options: DriveOptions): Promise<SimulatedDecision[]> {
  const { books, origin, keys, terms, seed } = options;
  const answers = new Map<number, SimulatedDecision[]>();
  const accounts = new Map<string, LimitFunction>();
  const inOrder: VisitOptions['inOrder'] = (account, work) => {
    const queue = accounts.get(account) ?? pLimit(1);
    accounts.set(account, queue);
    return queue(work);
  };
  const session = async ({ number, publisher, contexts }: Person): Promise<void> => {
    const own: SimulatedDecision[] = [];
    answers.set(number, own);
    const random = randomNumbers((seed * 1_000_003 + number * 7919) >>> 0);
    for (const [before, context] of contexts.entries()) {
      let at = 0;
      const response = await unlessRefused(async () => {
        while (books.dayOf(Date.now()) !== books.dayOf(Date.now() + 2 * LONGEST_MS)) await pause(500);
        at = Date.now();
        return fetch(`${origin}${API}/match`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-api-key': keys.get(publisher.name)!,
            'x-session-id': `${seed}-session-${number}`,
          },
          body: JSON.stringify({ context }),
          signal: AbortSignal.timeout(LONGEST_MS),
        });
      });
      const asked = { publisher: publisher.name, test: publisher.test, position: before + 1 };
      const { answer, ad } = await read(response, asked, terms);
      own.push(answer);
      books.decided(at, { publisher: publisher.name, ad: answer.terms, test: publisher.test }, answer.reason);
      if (!isAd(answer)) continue;
      const visit = createAdVisit(answer, ad!, {
        ...options,
        inOrder,
        address: addressOf(number, before),
      });
      for (const act of actsOf(answer, random)) await visit(act);
    }
  };
  await pLimit(SESSIONS_AT_ONCE).map(sessions, session);
  // In the order of the sessions, regardless of which ended first.
  return sessions.flatMap(({ number }) => answers.get(number) ?? []);
}

/**
 * Retries after the time in `retry-after` while the server refuses requests because the machine is busy; it does not
 * count refused requests.
 */
async function unlessRefused(ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await ask();
    if (response.status !== 503 || tries === MOST_TRIES) return response;
    await response.arrayBuffer();
    await pause(1000 * Number(response.headers.get('retry-after')));
  }
}

/** Returns an address in a separate IPv6 network for each ad. */
function addressOf(session: number, position: number): string {
  const parts = [session >> 16, session & 0xffff, position].map((part) => part.toString(16));
  return `fd00:${parts.join(':')}::1`;
}

async function read(
  response: Response,
  asked: Pick<SimulatedDecision, 'publisher' | 'test' | 'position'>,
  terms: ReadonlyMap<string, Terms>,
): Promise<{ answer: SimulatedDecision; ad: Ad | null }> {
  if (response.status === 404) {
    await response.arrayBuffer();
    const reason = response.headers.get('x-adjacent-reason') as NoFillReason;
    return { answer: { ...asked, terms: null, reason }, ad: null };
  }
  if (response.status !== 200) throw new Error(`match answered ${response.status}: ${await response.text()}`);
  const ad = (await response.json()) as Ad;
  const held = terms.get(ad.id);
  if (held === undefined) throw new Error(`${ad.id} is no creative of the sample catalogue: name another --data-dir`);
  return { answer: { ...asked, terms: held, score: ad.score, reason: null }, ad };
}
