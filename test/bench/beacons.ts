import { createRequestIds } from '../../server/request-id/request-ids.js';
import { openSigningKeys } from '../../server/request-id/signing-key-file.js';
import { API } from '../../server/domain/urls.js';
import { DAY } from '../../platform/time/durations.js';
import { httpLoad } from './http-load.js';
import { processorTime } from './processor-time.js';
import { withService, type BenchedService } from './service.js';
import { duration, table } from './table.js';

const CONNECTIONS = 100;
/** More than a server can count in a second. */
const MOST_A_SECOND = 40_000;
/** With a log line per beacon, as in production. */
const SETTINGS = { PROFILE: 'fast', LOG_LEVEL: 'info' };

/**
 * Measures beacons a second over HTTP, each with its own request id and acknowledged only once it is on disk, compared
 * with responses of the same server that store nothing, and with two servers that share nothing: the most that a second
 * process on the port could bring, because one that shared the ledger would also exchange messages.
 */
export async function benchBeacons(seconds = 5): Promise<string> {
  return withService(
    1,
    async (one) => {
      await load([one], beacons, 2);
      const plain = await load([one], health, seconds);
      const counted = await load([one], beacons, seconds);
      const both = await withService(
        1,
        async (other) => {
          await load([one, other], beacons, 2);
          return load([one, other], beacons, seconds);
        },
        SETTINGS,
      );
      const row = (name: string, { aSecond, p50, p99, loop, threads, client }: Load): string[] => [
        name,
        aSecond.toFixed(0),
        duration(p50),
        duration(p99),
        ...[loop, threads, client].map((ms) => `${(ms * 1000).toFixed(0)} µs`),
        (aSecond / plain.aSecond).toFixed(2),
      ];
      return table(
        [
          `HTTP, ${CONNECTIONS} connections`,
          'a second',
          'p50',
          'p99',
          'event loop',
          'other threads',
          'load generator',
          'ratio',
        ],
        [
          row('health answers, nothing stored', plain),
          row('beacons, each durable', counted),
          row('beacons to two servers, a ledger each', both),
        ],
      );
    },
    SETTINGS,
  );
}

/** The results of a load test, and processor milliseconds per response. */
interface Load {
  readonly aSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly loop: number;
  readonly threads: number;
  readonly client: number;
}

type Paths = (service: BenchedService, seconds: number) => Promise<() => string>;

const health: Paths = async () => () => '/healthz';

/** Creates request ids beforehand, so that this takes no processor time from the server. */
const beacons: Paths = async ({ dataDir }, seconds) => {
  const requestIds = createRequestIds(await openSigningKeys(dataDir, Date.now(), 30 * DAY));
  const names = { publisher: 'Bench', creative: 'spa-1', campaign: null, advertiser: null, pricing: null };
  const paths = Array.from(
    { length: MOST_A_SECOND * seconds },
    () => `${API}/beacon?requestId=${requestIds.issue({ ...names, issuedAt: Date.now(), test: false })}`,
  );
  return () => paths.pop()!;
};

/** Spreads the connections over the servers and loads all of them at once. */
async function load(services: readonly BenchedService[], pathsOf: Paths, seconds: number): Promise<Load> {
  const paths = await Promise.all(services.map((service) => pathsOf(service, seconds)));
  const used = (): { main: number; all: number; client: number } => {
    const times = services.map(({ pid }) => processorTime(pid));
    return {
      main: sum(times.map(({ main }) => main)),
      all: sum(times.map(({ all }) => all)),
      client: processorTime(process.pid).all,
    };
  };
  const before = used();
  const loads = await Promise.all(
    services.map(({ origin }, at) =>
      httpLoad(origin, paths[at]!, { connections: CONNECTIONS / services.length, seconds }),
    ),
  );
  const after = used();
  const requests = sum(loads.map((each) => each.requests));
  const loop = (after.main - before.main) / requests;
  return {
    aSecond: sum(loads.map(({ aSecond }) => aSecond)),
    // The slower server's: the mean of quantiles is no quantile.
    p50: Math.max(...loads.map(({ p50 }) => p50)),
    p99: Math.max(...loads.map(({ p99 }) => p99)),
    loop,
    threads: (after.all - before.all) / requests - loop,
    client: (after.client - before.client) / requests,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
