import Table from 'cli-table3';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { openClient } from '../../platform/postgres/connection.js';
import { createLedger, type ServerLedger } from '../../server/ledger/server-ledger.js';
import type { UsageEvent } from '../../server/ledger/tables/ledger.js';
import { startPostgres, type TemporaryPostgres } from '../support/postgres.js';
import { testClaims } from '../support/test-claims.js';

const CALLERS = 250;
const SAMPLE_MS = 10;

/**
 * Measures clicks per second on one campaign, counted by servers that share one PostgreSQL with durable commits, with
 * 250 concurrent callers per server; and the share of time in which a server waits for a lock held by another.
 */
export async function benchSeveralServers(seconds = 5): Promise<string> {
  const postgres = await startPostgres(['fsync=on']);
  try {
    const table = new Table({
      head: ['one campaign', 'servers', 'clicks a second', 'waiting for locks'],
      colAligns: ['left', 'right', 'right', 'right'],
      style: { head: [], border: [], compact: true },
    });
    for (const limited of [false, true]) {
      for (const servers of [1, 4]) {
        const { rate, waiting } = await measured(postgres, servers, limited, seconds);
        table.push([
          limited ? 'with a budget' : 'without one',
          servers,
          rate.toFixed(0),
          `${(100 * waiting).toFixed(0)} %`,
        ]);
      }
    }
    return table.toString();
  } finally {
    await postgres.stop();
  }
}

async function measured(postgres: TemporaryPostgres, servers: number, limited: boolean, seconds: number) {
  const { url } = await postgres.database();
  const ledgers: ServerLedger[] = [];
  for (let server = 0; server < servers; server++) {
    ledgers.push(await createLedger({ database: { url }, currency: 'USD', timeZone: 'UTC' }));
  }
  const client = await openClient(url);
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const [counts, waiting] = await Promise.all([
    Promise.all(ledgers.flatMap((ledger) => Array.from({ length: CALLERS }, () => clicksUntil(end, ledger, limited)))),
    waitingUntil(end, client, servers),
  ]);
  const took = (performance.now() - begin) / 1000;
  await Promise.all([client.end(), ...ledgers.map((ledger) => ledger.close())]);
  return { rate: counts.reduce((sum, count) => sum + count, 0) / took, waiting };
}

async function clicksUntil(end: number, ledger: ServerLedger, limited: boolean): Promise<number> {
  const limits = limited ? { limits: { totalMicros: 1e15, dailyMicros: 1e15 } } : {};
  let counted = 0;
  while (performance.now() < end) {
    const at = Date.now();
    const claims = testClaims({ pricing: { model: 'cpc', micros: 1000 }, issuedAt: at, ...limits });
    const click: UsageEvent = { kind: 'click', id: randomBytes(16).toString('hex'), claims, at };
    if ((await ledger.record(click)).counted) counted++;
  }
  return counted;
}

/** Samples repeatedly how many sessions wait for a lock. */
async function waitingUntil(end: number, client: Client, servers: number): Promise<number> {
  let [looks, waiting] = [0, 0];
  while (performance.now() < end) {
    const { rows } = await client.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    looks++;
    waiting += rows[0]!.n;
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  }
  return waiting / looks / servers;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await benchSeveralServers()}\n`);
}
