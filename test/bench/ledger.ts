import Table from 'cli-table3';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLedger } from '../../server/ledger/server-ledger.js';
import type { UsageEvent } from '../../server/ledger/tables/ledger.js';
import { createRequestIds } from '../../server/request-id/request-ids.js';
import { parseSigningKeys } from '../../server/domain/signing-key.js';

const CREATIVES = 300;
const CONCURRENT = 500;

/**
 * Measures how many events a second the ledger makes durable for 500 concurrent callers, each awaiting its own event:
 * with group commit and with one commit per event, alternating in one run on one disk. Also measures request ids a
 * second.
 */
export async function benchLedger(seconds = 3): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'adjacent-bench-'));
  try {
    const rates = { grouped: [] as number[], alone: [] as number[] };
    for (let round = 0; round < 3; round++) {
      rates.grouped.push(await eventsASecond(join(directory, `grouped-${round}.sqlite`), undefined, seconds));
      rates.alone.push(await eventsASecond(join(directory, `alone-${round}.sqlite`), 1, seconds));
    }
    const [grouped, alone] = [median(rates.grouped), median(rates.alone)];
    const ids = requestIdsASecond(seconds);
    const table = new Table({
      head: ['ledger', 'a second', 'ratio'],
      colAligns: ['left', 'right', 'right'],
      style: { head: [], border: [], compact: true },
    });
    table.push(['events, one commit each', alone.toFixed(0), '1']);
    table.push(['events, group commit', grouped.toFixed(0), (grouped / alone).toFixed(1)]);
    table.push(['request ids issued', ids.issued.toFixed(0), '']);
    table.push(['request ids verified', ids.verified.toFixed(0), '']);
    return table.toString();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function eventsASecond(file: string, maxEventsPerBatch: number | undefined, seconds: number): Promise<number> {
  const batch = maxEventsPerBatch === undefined ? {} : { maxEventsPerBatch };
  const ledger = await createLedger({ database: { file }, currency: 'USD', timeZone: 'UTC', ...batch });
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let recorded = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      await ledger.record(event());
      recorded++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, caller));
  const took = (performance.now() - begin) / 1000;
  await ledger.close();
  return recorded / took;
}

function event(): UsageEvent {
  const id = randomBytes(16);
  return {
    kind: 'impression',
    id: id.toString('hex'),
    claims: claimsOf(id.readUInt16BE() % CREATIVES),
    at: Date.now(),
  };
}

function claimsOf(number: number): UsageEvent['claims'] {
  const pricing = { model: 'cpm', micros: 2_500_000 } as const;
  const names = {
    publisher: `publisher-${number % 5}`,
    creative: `creative-${number}`,
    campaign: 'campaign',
    advertiser: 'advertiser',
  };
  return { ...names, pricing, issuedAt: Date.now(), test: false };
}

function requestIdsASecond(seconds: number): { issued: number; verified: number } {
  const ids = createRequestIds(parseSigningKeys(randomBytes(32).toString('base64')));
  const claims = claimsOf(1);
  const id = ids.issue(claims);
  return {
    issued: timesASecond(() => ids.issue(claims), seconds),
    verified: timesASecond(() => ids.verify(id), seconds),
  };
}

function timesASecond(work: () => unknown, seconds: number): number {
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let times = 0;
  while (performance.now() < end) {
    for (let unread = 0; unread < 100; unread++) work();
    times += 100;
  }
  return (times * 1000) / (performance.now() - begin);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await benchLedger()}\n`);
}
