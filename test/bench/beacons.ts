import { createRequestIds } from '../../server/request-id/request-ids.js';
import { openSigningKeys } from '../../server/request-id/signing-key-file.js';
import { API } from '../../server/domain/urls.js';
import { httpLoad, type HttpLoad } from './http-load.js';
import { processorTime } from './processor-time.js';
import { withService } from './service.js';
import { duration, table } from './table.js';

const DAY = 86_400_000;
const CONNECTIONS = 100;
/** More than a server can count in a second. */
const MOST_A_SECOND = 40_000;

/**
 * Measures beacons a second over HTTP, each with its own request id and acknowledged only once it is on disk, compared
 * with responses of the same server that store nothing.
 */
export async function benchBeacons(seconds = 5): Promise<string> {
  return withService(
    1,
    async ({ origin, dataDir, pid }) => {
      const requestIds = createRequestIds(await openSigningKeys(dataDir, Date.now(), 30 * DAY));
      const names = { publisher: 'Bench', creative: 'spa-1', campaign: null, advertiser: null, pricing: null };
      const issue = (): string =>
        `${API}/beacon?requestId=${requestIds.issue({ ...names, issuedAt: Date.now(), test: false })}`;
      const load = async (path: () => string, forSeconds = seconds): Promise<HttpLoad & Costs> => {
        const from = processorTime(pid);
        const load = await httpLoad(origin, path, { connections: CONNECTIONS, seconds: forSeconds });
        const to = processorTime(pid);
        const loop = (to.main - from.main) / load.requests;
        return { ...load, loop, threads: (to.all - from.all) / load.requests - loop };
      };
      const beacons = (forSeconds: number): Promise<HttpLoad & Costs> => {
        // Created beforehand, so that this takes no processor time from the server.
        const paths = Array.from({ length: MOST_A_SECOND * forSeconds }, issue);
        return load(() => paths.pop()!, forSeconds);
      };
      await beacons(2);
      const plain = await load(() => '/healthz');
      const counted = await beacons(seconds);
      const row = (name: string, { aSecond, p50, p99, loop, threads }: HttpLoad & Costs): string[] => [
        name,
        aSecond.toFixed(0),
        duration(p50),
        duration(p99),
        `${(loop * 1000).toFixed(0)} µs`,
        `${(threads * 1000).toFixed(0)} µs`,
        (aSecond / plain.aSecond).toFixed(2),
      ];
      return table(
        [`HTTP, ${CONNECTIONS} connections`, 'a second', 'p50', 'p99', 'event loop', 'other threads', 'ratio'],
        [row('health answers, nothing stored', plain), row('beacons, each durable', counted)],
      );
    },
    // With a log line per beacon, as in production.
    { PROFILE: 'fast', LOG_LEVEL: 'info' },
  );
}

/** The server's processor milliseconds per response. */
interface Costs {
  readonly loop: number;
  readonly threads: number;
}
