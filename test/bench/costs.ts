import { readEnvironment } from '../../platform/command-line/settings.js';
import { modelOf } from '../../models/encoder/profile.js';
import { readConfig } from '../../server/config/config.js';
import { table } from './table.js';
import { batchCosts } from './batch-costs.js';
import { beaconCosts } from './beacon-costs.js';
import { creativeCosts } from './creative-costs.js';
import { matchCosts } from './match-costs.js';

type Row = readonly [name: string, value: number, unit: string];

const MATCHES = ['opening', 'unknown', 'remembered'] as const;

/**
 * Measures unit costs for `npm run scale`: processor time, memory and bytes, with the encoder that PROFILE or MODEL
 * names. Processor time can be measured on a busy machine, apart from cache effects.
 */
export async function benchCosts(): Promise<string> {
  const model = modelOf(readConfig(readEnvironment()));
  const creatives = await creativeCosts(model);
  const batches = await batchCosts();
  const beacons = await beaconCosts();
  const match = await matchCosts();
  const rows: Row[] = [
    ...MATCHES.flatMap((kind): Row[] => [
      [`match, ${kind}: event loop`, match[kind].loop, 'ms'],
      [`match, ${kind}: encoders`, match[kind].encoder, 'ms'],
      [`match, ${kind}: p50 by the clock`, match[kind].p50, 'ms'],
    ]),
    ['match: answer with an ad', match.filledBytes, 'bytes'],
    ['match: answer without', match.noFillBytes, 'bytes'],
    ['node: memory with one encoder thread', match.residentBytes / 1e6, 'MB'],
    ['node: connections to PostgreSQL', beacons.connections, ''],
    ['node: PostgreSQL, where nobody asks', beacons.idlePostgres, 'ms a second'],
    ['beacon: event loop', beacons.loop, 'ms'],
    ['beacon: other threads', beacons.threads, 'ms'],
    ['beacon: answer', beacons.answerBytes, 'bytes'],
    ['beacons, 100 connections', beacons.aSecond, 'a second'],
    ['PostgreSQL: a batch', batches.aBatch, 'ms'],
    ['PostgreSQL: an event', batches.anEvent, 'ms'],
    ['PostgreSQL: log for a batch', batches.walABatch, 'bytes'],
    ['PostgreSQL: log for an event', batches.walAnEvent, 'bytes'],
    ['PostgreSQL: log to the disk', batches.sync, 'ms'],
    ['PostgreSQL: an event with its index', batches.eventBytes, 'bytes'],
    ['PostgreSQL: a sum with its index', batches.sumRowBytes, 'bytes'],
    ['PostgreSQL: a decision', batches.aDecision, 'ms'],
    ['PostgreSQL: log for a decision', batches.walADecision, 'bytes'],
    ['PostgreSQL: a step of deleting', batches.pruneStep, 'ms'],
    ['creative: on the disk', creatives.snapshotBytes, 'bytes'],
    ['creative: in memory', creatives.memoryBytes, 'bytes'],
    ['creative: loading', creatives.load, 'ms'],
    ['creative: graphs', creatives.graph, 'ms'],
    ['search among 4,000', creatives.search, 'ms'],
    ['search of a large catalogue: event loop', creatives.largeSearch, 'ms'],
  ];
  const quantiles = (name: string, values: readonly number[]) =>
    `${name}, encoders, 5th to 95th percentile: ${values.map((ms) => ms.toFixed(1)).join(', ')} ms`;
  return [
    table(
      ['one of each', model, ''],
      rows.map(([name, value, unit]) => [name, value.toPrecision(3), unit]),
    ),
    ...MATCHES.map((kind) => quantiles(`match, ${kind}`, match[kind].encoderQuantiles)),
    ...batches.rows.map(
      ({ callers, batches: n, events, ms, seconds }) =>
        `${callers} callers: ${(events / seconds).toFixed(0)} events and ${(n / seconds).toFixed(0)} batches a second, PostgreSQL ${((1000 * ms) / events).toFixed(0)} µs an event`,
    ),
  ].join('\n');
}
