import { setTimeout as pause } from 'node:timers/promises';
import { availableParallelism } from 'node:os';
import { API } from '../../server/domain/urls.js';
import { createRequestIds } from '../../server/request-id/request-ids.js';
import { openSigningKeys } from '../../server/request-id/signing-key-file.js';
import { DAY } from '../../platform/time/durations.js';
import { conversations, timed, withService } from './service.js';
import { whileServing } from './server-load.js';
import { duration, quantile, table } from './table.js';

const TIMES = 3;
/** Requests per second of a normal visitor, and beacons per second. */
const HONEST_A_SECOND = 2;
const BEACONS_A_SECOND = 20;

/**
 * Runs as many matches as the server can serve; then, for the same time, three times as many from one address with a
 * public key, while another address with the same key, another publisher and beacons continue. Reports the event loop
 * delay along with that of an idle thread, and the server's processor time along with the rates, because other work on
 * the machine affects both. The cost of refusals is included in the time of served matches.
 */
export async function benchOverload(seconds = 15): Promise<string> {
  const workers = Math.min(4, availableParallelism());
  const settings = { TRUST_PROXY: '1', LOG_LEVEL: 'silent' };
  return withService(
    workers,
    async ({ origin, key, dataDir, createKey }) => {
      const other = await createKey('Other');
      const ids = createRequestIds(await openSigningKeys(dataDir, Date.now(), 30 * DAY));
      const ask = (context: string, asKey: string, address: string) => matchOnce(origin, context, asKey, address);
      const texts = conversations(2000);
      await timed(texts.slice(0, 100), workers * 4, (text) => ask(text, key, '203.0.113.1'));

      const quiet = await whileServing(origin, async () => {
        const end = performance.now() + seconds * 1000;
        let done = 0;
        const client = async (first: number) => {
          for (let at = first; performance.now() < end; at += workers * 4, done++) {
            await ask(texts[at % texts.length]!, key, `203.0.113.${first}`);
          }
        };
        await Promise.all(Array.from({ length: workers * 4 }, (_, first) => client(first)));
        return done / seconds;
      });
      const peak = quiet.result;

      const flood = await whileServing(origin, async () => {
        const beacon = () => {
          const names = { publisher: 'Bench', creative: 'spa-1', campaign: null, advertiser: null, pricing: null };
          const id = ids.issue({ ...names, issuedAt: Date.now(), test: false });
          return once(`${origin}${API}/beacon?requestId=${id}`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
        };
        const text = (at: number) => texts[at % texts.length]!;
        const [greedy, neighbour, publisher, beacons] = await Promise.all([
          steadily(TIMES * peak, seconds, (at) => ask(text(at), key, '203.0.113.1')),
          steadily(HONEST_A_SECOND, seconds, (at) => ask(text(at * 7), key, '203.0.113.2')),
          steadily(HONEST_A_SECOND, seconds, (at) => ask(text(at * 5), other, '203.0.113.3')),
          steadily(BEACONS_A_SECOND, seconds, beacon),
        ]);
        return { greedy, neighbour, publisher, beacons };
      });
      const { greedy, neighbour, publisher, beacons } = flood.result;
      const served = [greedy, neighbour, publisher].flat().filter(({ status }) => status < 500);
      const row = (name: string, answers: readonly TimedResponse[]) => {
        const good = answers.filter(({ status }) => status < 500);
        const refused = answers.filter(({ status }) => status === 503);
        return [
          name,
          String(answers.length),
          `${((100 * good.length) / answers.length).toFixed(1)} %`,
          ...[0.5, 0.99].map((share) => (good.length === 0 ? '' : duration(quantile(timesOf(good), share)))),
          refused.length === 0 ? '' : duration(quantile(timesOf(refused), 0.5)),
        ];
      };
      return [
        table(
          [`${TIMES} × ${peak.toFixed(0)} a second`, 'asked', 'served', 'p50', 'p99', 'p50 of 503'],
          [
            row('the address that floods', greedy),
            row('another address, same key', neighbour),
            row('another publisher', publisher),
            row('beacons', beacons),
          ],
        ),
        table(
          ['', 'at the peak', `at ${TIMES} times`],
          [
            [
              'matches a second',
              peak.toFixed(0),
              `${(served.length / seconds).toFixed(0)} (${percent(served.length / seconds / peak)})`,
            ],
            [
              'processor time for each',
              duration((1000 * quiet.cpuSeconds) / (peak * seconds)),
              duration((1000 * flood.cpuSeconds) / served.length),
            ],
            ['event loop delay p99', duration(quiet.loop), duration(flood.loop)],
            ['… of a thread without work', duration(quiet.idle), duration(flood.idle)],
          ],
        ),
      ].join('\n');
    },
    settings,
  );
}

interface TimedResponse {
  readonly status: number;
  readonly ms: number;
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const timesOf = (answers: readonly TimedResponse[]): number[] => answers.map(({ ms }) => ms);

async function once(url: string, init: RequestInit): Promise<TimedResponse> {
  const begun = performance.now();
  try {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    return { status: response.status, ms: performance.now() - begun };
  } catch {
    return { status: 599, ms: performance.now() - begun };
  }
}

function matchOnce(origin: string, context: string, key: string, address: string): Promise<TimedResponse> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key, 'x-forwarded-for': address };
  return once(`${origin}${API}/match`, { method: 'POST', headers, body: JSON.stringify({ context }) });
}

/** Sends requests at a fixed rate, whether or not responses arrive. */
async function steadily(
  aSecond: number,
  seconds: number,
  ask: (at: number) => Promise<TimedResponse>,
): Promise<TimedResponse[]> {
  const begun = performance.now();
  const asked: Promise<TimedResponse>[] = [];
  while (performance.now() - begun < seconds * 1000) {
    const due = Math.ceil(((performance.now() - begun) / 1000) * aSecond);
    while (asked.length < due) asked.push(ask(asked.length));
    await pause(5);
  }
  return Promise.all(asked);
}
