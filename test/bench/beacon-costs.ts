import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../platform/postgres/connection.js';
import { DAY } from '../../platform/time/durations.js';
import { API } from '../../server/domain/urls.js';
import { createRequestIds } from '../../server/request-id/request-ids.js';
import { openSigningKeys } from '../../server/request-id/signing-key-file.js';
import { startPostgres } from '../support/postgres.js';
import { httpLoad } from './http-load.js';
import { withService } from './service.js';
import { parentOf, postgresTime, processorTime } from './processor-time.js';

/** The costs of beacons and of an idle node with PostgreSQL. */
export interface BeaconCosts {
  readonly aSecond: number;
  /** Processor milliseconds per beacon on the node's event loop, and in its other threads. */
  readonly loop: number;
  readonly threads: number;
  /** Size of a response over the network without TLS. */
  readonly answerBytes: number;
  /** Database connections of an idle node. */
  readonly connections: number;
  /** PostgreSQL's processor milliseconds per second for an idle node. */
  readonly idlePostgres: number;
}

const CONNECTIONS = 100;
/** More than a node can count in a second. */
const MOST_A_SECOND = 20_000;
const IDLE_MS = 10_000;

export async function beaconCosts(seconds = 5): Promise<BeaconCosts> {
  const postgres = await startPostgres(['fsync=on']);
  const { url } = await postgres.database();
  const client = await openClient(url);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]!.pid);
  try {
    return await withService(
      1,
      async ({ origin, dataDir, pid }) => {
        const before = postgresTime(postmaster);
        await pause(IDLE_MS);
        const idlePostgres = (postgresTime(postmaster) - before) / (IDLE_MS / 1000);
        const sessions = await client.query<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity
            where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
        );
        const ids = createRequestIds(await openSigningKeys(dataDir, Date.now(), 30 * DAY));
        const names = { publisher: 'Bench', creative: 'spa-1', campaign: null, advertiser: null, pricing: null };
        const beacon = () => `${API}/beacon?requestId=${ids.issue({ ...names, issuedAt: Date.now(), test: false })}`;
        const paths = Array.from({ length: MOST_A_SECOND * (seconds + 1) }, beacon);
        const load = (forSeconds: number) =>
          httpLoad(origin, () => paths.pop()!, { connections: CONNECTIONS, seconds: forSeconds });
        await load(1);
        const from = processorTime(pid);
        const { requests, aSecond, answerBytes } = await load(seconds);
        const to = processorTime(pid);
        return {
          aSecond,
          loop: (to.main - from.main) / requests,
          threads: (to.all - to.main - (from.all - from.main)) / requests,
          answerBytes,
          connections: sessions.rows[0]!.n,
          idlePostgres,
        };
      },
      { DATABASE_URL: url, PROFILE: 'fast' },
    );
  } finally {
    await client.end();
    await postgres.stop();
  }
}
