import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReconciliation } from '../reconciliation/reconciliation.js';
import { createLimits } from '../reconciliation/limits.js';
import type { PublisherKey } from '../calls/ask.js';
import { createBooks } from '../calls/books.js';
import { writeFeed } from '../calls/catalogue.js';
import { createChance } from '../calls/chance.js';
import { startTraffic } from '../calls/traffic.js';
import { patiently } from '../processes/busy.js';
import { createOperatorCommands } from '../processes/operator-commands.js';
import { prepare } from '../processes/prepare.js';
import { createClusterRounds } from './cluster-rounds.js';
import type { ClusterArguments, ClusterTortured } from './cluster-tortured.js';
import { commandDifferences } from './command-differences.js';
import { CLUSTER_FAULT_NAMES, type ClusterFaultName } from './fault-names.js';
import { keepBooks } from './keep-books.js';
import { startCluster } from './started-cluster.js';
import { createTroubles } from './troubles.js';

const LANES = 16;
/** Maximum number of differences reported as they occur: one fault may cause hundreds. */
const MAX_REPORTED = 10;
/**
 * Seed offsets. What callers and commands draw depends on the timing of replies, so they do not share the faults'
 * random numbers.
 */
const [OF_CALLERS, OF_COMMANDS] = [1e9, 2e9];

/** Makes nodes, their database and the links between them fail in rounds, and compares ledger and books after each. */
export async function tortureCluster(
  wanted: ClusterArguments,
  progress: (line: string) => void,
  enough?: AbortSignal,
): Promise<ClusterTortured> {
  const workDir = mkdtempSync(join(wanted.workDir ?? tmpdir(), 'adjacent-torture-'));
  const began = performance.now();
  const minutes = (): number => (performance.now() - began) / 60_000;
  const faults = new Map(CLUSTER_FAULT_NAMES.map((name): [ClusterFaultName, number] => [name, 0]));
  const differences: string[] = [];
  let rounds = 0;
  const log = (what: string): void => progress(`round ${rounds}, ${minutes().toFixed(1)} minutes: ${what}`);
  const differs = (what: string): void => {
    differences.push(`round ${rounds}: ${what}`);
    if (differences.length <= MAX_REPORTED) log(what);
  };
  log(`seed ${wanted.seed}, ${wanted.nodes} nodes, faults: ${wanted.faults.join(', ') || 'none'}`);

  const [books, limits, troubles] = [createBooks(), createLimits(), createTroubles()];
  let keys: readonly PublisherKey[] = [];
  const cluster = await startCluster({
    workDir,
    count: wanted.nodes,
    troubles,
    prepare: async (commands) => void (keys = await prepare(commands, writeFeed(workDir, 1))),
    differs,
  });
  const { databaseUrl, nodes, caller, commands: processes, control } = cluster;
  const dataDirs = nodes.map(({ dataDir }) => dataDir);
  const reconciliation = createReconciliation({ location: { url: databaseUrl }, dataDirs, books, limits });
  const { seen } = reconciliation;
  const ofCommands = createChance(wanted.seed + OF_COMMANDS);
  const operatorCommands = createOperatorCommands({
    isFile: false,
    workDir,
    processes,
    limits,
    seen,
    chance: ofCommands,
    onFault: differs,
  });
  const traffic = startTraffic({
    keys,
    books,
    chance: createChance(wanted.seed + OF_CALLERS),
    control,
    server: () => caller,
    lanes: LANES,
    diskIsWell: () => true,
    onUnexpected: differs,
  });
  const chance = createChance(wanted.seed);
  const parts = { cluster, traffic, operatorCommands, reconciliation, troubles, chance };
  const clusterRounds = createClusterRounds({ ...parts, wanted: wanted.faults, faults, differs, log });

  const isOver = (): boolean => minutes() >= wanted.minutes || differences.length > 0 || enough?.aborted === true;
  try {
    await clusterRounds.recover();
    do {
      rounds++;
      await clusterRounds.round();
      log(`${seen.since(0).times} events, ${differences.length} differences`);
    } while (!isOver());
    await traffic.hold();
    for (const difference of await commandDifferences(processes, reconciliation)) differs(difference);
  } catch (error) {
    differs((error as Error).message);
  } finally {
    await traffic.end();
    if (differences.length > 0)
      await patiently(() => keepBooks(workDir, databaseUrl, books, differences)).catch(() => undefined);
    await cluster.end();
  }
  const kept = differences.length > 0 ? workDir : null;
  if (kept === null) rmSync(workDir, { recursive: true });
  return {
    nodes: wanted.nodes,
    seed: wanted.seed,
    minutes: minutes(),
    rounds,
    starts: nodes.reduce((sum, node) => sum + node.starts, 0),
    faults,
    commands: operatorCommands.done,
    asked: traffic.asked,
    replies: books.tally,
    stored: seen.since(0).times,
    micros: seen.micros(),
    comparisons: rounds,
    promised: [...books.events.values()].filter(({ promised }) => promised).length,
    overBudget: seen.byReason.get('over-budget') ?? 0,
    differences,
    kept,
  };
}
