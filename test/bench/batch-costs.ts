import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { openClient } from '../../platform/postgres/connection.js';
import { createLedger, type ServerLedger } from '../../server/ledger/server-ledger.js';
import type { UsageEvent } from '../../server/ledger/tables/ledger.js';
import { openForWriting } from '../../server/ledger/database.js';
import { createRetention } from '../../server/ledger/retention.js';
import { testClaims } from '../support/test-claims.js';
import { startPostgres } from '../support/postgres.js';
import { parentOf, postgresTime } from './processor-time.js';

/** PostgreSQL's costs of events, by batch and by event in a batch. */
export interface BatchCosts {
  /** Processor milliseconds. */
  readonly aBatch: number;
  readonly anEvent: number;
  /** Bytes of write-ahead log. */
  readonly walABatch: number;
  readonly walAnEvent: number;
  /** Milliseconds to flush the log to disk. */
  readonly sync: number;
  /** Bytes of the events table with its index, per event. */
  readonly eventBytes: number;
  /** Processor milliseconds and bytes of log for a decision; a server writes the decisions of a second together. */
  readonly aDecision: number;
  readonly walADecision: number;
  /** Bytes of a sum with its index; each server adds to its own rows. */
  readonly sumRowBytes: number;
  /** Processor milliseconds of a deletion step; no event is old here. */
  readonly pruneStep: number;
  /** The measurements that were fitted. */
  readonly rows: readonly BatchRow[];
}

interface BatchRow {
  readonly callers: number;
  readonly batches: number;
  readonly events: number;
  readonly ms: number;
  readonly wal: number;
  readonly seconds: number;
}

const CREATIVES = 300;
const CALLERS = [2, 8, 64, 512];
/** Roughly the rate of one node. */
const DECISIONS_A_SECOND = 100;

/**
 * Measures PostgreSQL's work while a server counts for more and more concurrent callers, so that batches grow, and fits
 * it by batches and events. Every event is priced and belongs to one of 300 creatives, half of which have budgets.
 */
export async function batchCosts(seconds = 4): Promise<BatchCosts> {
  const postgres = await startPostgres(['fsync=on', 'track_wal_io_timing=on']);
  const { url } = await postgres.database();
  const ledger = await createLedger({ database: { url }, currency: 'USD', timeZone: 'UTC' });
  const client = await openClient(url);
  try {
    const { rows: found } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const postmaster = parentOf(found[0]!.pid);
    await count(ledger, 64, 1);
    const rows: BatchRow[] = [];
    for (const callers of CALLERS) rows.push(await measured(client, postmaster, ledger, callers, seconds));
    // Enough events for several deletion steps.
    for (let events = sum(rows); events < 25_000;) events += (await count(ledger, 5000, 1)).events;
    const decisions = await decided(client, postmaster, ledger, seconds);
    const { rows: sizes } = await client.query<{ event: number; row: number; sync: number }>(SIZES);
    const { event, row, sync } = sizes[0]!;
    return {
      ...named('aBatch', 'anEvent', fit(rows, 'ms')),
      ...named('walABatch', 'walAnEvent', fit(rows, 'wal')),
      aDecision: decisions.ms / decisions.count,
      walADecision: decisions.wal / decisions.count,
      sync,
      eventBytes: event,
      sumRowBytes: row,
      pruneStep: pruneStep(url, postmaster),
      rows,
    };
  } finally {
    await Promise.all([client.end(), ledger.close()]);
    await postgres.stop();
  }
}

const sum = (rows: readonly BatchRow[]): number => rows.reduce((total, { events }) => total + events, 0);

const SIZES = `select
  pg_total_relation_size('events')::float8 / (select count(*) from events) as event,
  pg_total_relation_size('counters')::float8 / (select count(*) from counters) as row,
  (select wal_sync_time / greatest(1, wal_sync) from pg_stat_wal) as sync`;

async function measured(client: Client, postmaster: number, ledger: ServerLedger, callers: number, seconds: number) {
  const before = await used(client, postmaster);
  const { events, batches } = await count(ledger, callers, seconds);
  const after = await used(client, postmaster);
  return { callers, events, batches, seconds, ms: after.ms - before.ms, wal: after.wal - before.wal };
}

async function used(client: Client, postmaster: number): Promise<{ ms: number; wal: number }> {
  const { rows } = await client.query<{ wal: string }>(`select pg_current_wal_lsn() - '0/0' as wal`);
  return { ms: postgresTime(postmaster), wal: Number(rows[0]!.wal) };
}

/** Measures decisions at a steady rate; two of three are fills. */
async function decided(client: Client, postmaster: number, ledger: ServerLedger, seconds: number) {
  const before = await used(client, postmaster);
  let count = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(10)) {
    for (let each = 0; each < DECISIONS_A_SECOND / 100; each++, count++) {
      const { claims, at } = event();
      const { publisher, creative, campaign, advertiser } = claims;
      const filled = { filled: true, creative, campaign, advertiser } as const;
      const result = count % 3 === 0 ? ({ filled: false, reason: 'below-floor' } as const) : filled;
      ledger.countDecision({ publisher, test: false, result, language: 'en', at });
    }
  }
  // The last ones are written within a second.
  await pause(1100);
  const after = await used(client, postmaster);
  return { count, ms: after.ms - before.ms, wal: after.wal - before.wal };
}

function pruneStep(url: string, postmaster: number): number {
  const database = openForWriting({ url }, 3000);
  try {
    const retention = createRetention(database, 'UTC', 90);
    retention.step(Date.now());
    const before = postgresTime(postmaster);
    let steps = 1;
    while (retention.step(Date.now()) && steps < 20) steps++;
    return (postgresTime(postmaster) - before) / steps;
  } finally {
    database.close();
  }
}

/**
 * Counts events for concurrent callers, each of which awaits its event. Events acknowledged together formed one batch.
 */
async function count(ledger: ServerLedger, callers: number, seconds: number) {
  const end = performance.now() + seconds * 1000;
  let [events, batches] = [0, 0];
  let isSameBatch = false;
  const call = async (): Promise<void> => {
    while (performance.now() < end) {
      await ledger.record(event());
      events++;
      if (isSameBatch) continue;
      isSameBatch = true;
      batches++;
      setImmediate(() => (isSameBatch = false));
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return { events, batches };
}

function event(): UsageEvent {
  const id = randomBytes(16);
  const number = id.readUInt16BE() % CREATIVES;
  const at = Date.now();
  const names = {
    publisher: `publisher-${number % 5}`,
    creative: `creative-${number}`,
    campaign: `campaign-${number % 60}`,
  };
  const limits = number % 2 === 0 ? { limits: { totalMicros: 1e15, dailyMicros: 1e14 } } : {};
  return { kind: 'impression', id: id.toString('hex'), claims: testClaims({ ...names, issuedAt: at, ...limits }), at };
}

/** Fits `value = a · batches + b · events` by least squares, with neither below 0. */
function fit(rows: readonly BatchRow[], value: 'ms' | 'wal'): readonly [batch: number, event: number] {
  let [bb, be, ee, bv, ev] = [0, 0, 0, 0, 0];
  for (const { batches, events, [value]: y } of rows) {
    // Weighted by relative error; otherwise the largest row would dominate.
    const weight = 1 / y ** 2;
    bb += weight * batches * batches;
    be += weight * batches * events;
    ee += weight * events * events;
    bv += weight * batches * y;
    ev += weight * events * y;
  }
  const determinant = bb * ee - be * be;
  return [Math.max(0, (ee * bv - be * ev) / determinant), Math.max(0, (bb * ev - be * bv) / determinant)];
}

function named<A extends string, B extends string>(a: A, b: B, [one, other]: readonly [number, number]) {
  return { [a]: one, [b]: other } as Record<A | B, number>;
}
