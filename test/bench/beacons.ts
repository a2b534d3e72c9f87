import autocannon from 'autocannon';
import { createRequestIds } from '../../server/request-id/request-ids.js';
import { openSigningKeys } from '../../server/request-id/signing-key-file.js';
import { API } from '../../server/domain/urls.js';
import { withService } from './service.js';
import { table } from './table.js';

const DAY = 86_400_000;
const CONNECTIONS = 100;

/**
 * Beacons a second over HTTP, each with a request id of its own and acknowledged only once it is on the disk, beside
 * what the same server does of an answer that stores nothing.
 */
export async function benchBeacons(seconds = 5): Promise<string> {
  return withService(1, async ({ origin, dataDir }) => {
    const requestIds = createRequestIds(await openSigningKeys(dataDir, Date.now(), 30 * DAY));
    const names = { publisher: 'Bench', creative: 'spa-1', campaign: null, advertiser: null, pricing: null };
    const beacon = (): string => {
      const id = requestIds.issue({ ...names, issuedAt: Date.now(), test: false });
      return `${new URL(origin).pathname.replace(/\/$/, '')}${API}/beacon?requestId=${id}`;
    };
    await perSecond(origin, beacon, 1);
    const plain = await perSecond(origin, () => '/healthz', seconds);
    const counted = await perSecond(origin, beacon, seconds);
    return table(
      [`HTTP, ${CONNECTIONS} connections`, 'a second', 'ratio'],
      [
        ['health answers, nothing stored', plain.toFixed(0), '1'],
        ['beacons, each durable', counted.toFixed(0), (counted / plain).toFixed(2)],
      ],
    );
  });
}

async function perSecond(url: string, path: () => string, duration: number): Promise<number> {
  const { non2xx, errors, requests } = await autocannon({
    url,
    connections: CONNECTIONS,
    duration,
    requests: [{ method: 'GET', setupRequest: (request) => ({ ...request, path: path() }) }],
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} failed`);
  return requests.average;
}
