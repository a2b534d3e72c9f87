import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAudit } from '../audit/audit.js';
import { createLimits } from '../audit/limits.js';
import type { Outcome } from '../audit/outcome.js';
import type { PublisherKey } from '../calls/ask.js';
import { createBooks } from '../calls/books.js';
import { writeFeed } from '../calls/catalogue.js';
import { createChance, type Chance } from '../calls/chance.js';
import { startTraffic } from '../calls/traffic.js';
import { createErrands } from '../processes/errands.js';
import { prepare } from '../processes/prepare.js';
import { commandDifferences } from './command-differences.js';
import { CLUSTER_FAULT_NAMES, type ClusterFaultName } from './fault-names.js';
import { runRound } from './round.js';
import { drain, recover } from './settle.js';
import { startCluster } from './started-cluster.js';
import { createTroubles } from './troubles.js';

export interface ClusterArguments {
  readonly nodes: number;
  /** The last round of faults begins before these are over; one there is at least. */
  readonly minutes: number;
  readonly seed: number;
  readonly faults: readonly ClusterFaultName[];
  /** Undefined: the system's temporary directory. */
  readonly workDir: string | undefined;
}

/** What came of a run of several nodes. */
export interface ClusterTortured extends Outcome {
  readonly nodes: number;
  readonly seed: number;
  readonly minutes: number;
  readonly rounds: number;
  /** Of all nodes, the first ones too. */
  readonly starts: number;
  /** Events of which a caller was told beyond doubt that they count. */
  readonly promised: number;
  /** Events stored that found no room in a budget. */
  readonly overBudget: number;
}

const LANES = 16;
const CALM_ANSWERS = 60;
const ANSWERS_WITHIN_MS = 20_000;

/** Lets nodes, their database, and what is between them fail in rounds, and compares the books after each. */
export async function tortureCluster(
  wanted: ClusterArguments,
  progress: (line: string) => void,
  enough?: AbortSignal,
): Promise<ClusterTortured> {
  const workDir = mkdtempSync(join(wanted.workDir ?? tmpdir(), 'adjacent-torture-'));
  const began = performance.now();
  const minutes = (): number => (performance.now() - began) / 60_000;
  const faults = new Map(CLUSTER_FAULT_NAMES.map((name): [ClusterFaultName, number] => [name, 0]));
  const counts = { rounds: 0, audits: 0 };
  const differences: string[] = [];
  const differs = (what: string): void => {
    differences.push(`round ${counts.rounds}: ${what}`);
    progress(differences.at(-1)!);
  };
  progress(`seed ${wanted.seed}, ${wanted.nodes} nodes: ${wanted.faults.join(', ')}`);

  const [books, limits, troubles] = [createBooks(), createLimits(), createTroubles()];
  // What callers draw depends on when they are answered; what goes wrong does not.
  const [ofFaults, ofCallers, ofCommands] = [0, 1, 2].map((stream) => createChance(wanted.seed + stream * 1e9)) as [
    Chance,
    Chance,
    Chance,
  ];
  let keys: readonly PublisherKey[] = [];
  const cluster = await startCluster({
    workDir,
    count: wanted.nodes,
    troubles,
    prepare: async (commands) => void (keys = await prepare(commands, writeFeed(workDir, 1))),
    differs,
  });
  const { databaseUrl, nodes, caller, commands, world } = cluster;
  const dataDirs = nodes.map(({ dataDir }) => dataDir);
  const audit = createAudit({ place: { url: databaseUrl }, dataDirs, books, limits });
  const errands = createErrands({
    isFile: false,
    workDir,
    processes: commands,
    limits,
    seen: audit.seen,
    chance: ofCommands,
    onFault: differs,
  });
  const traffic = startTraffic({
    keys,
    books,
    chance: ofCallers,
    world,
    server: () => caller,
    lanes: LANES,
    diskIsWell: () => true,
    onUnexpected: differs,
  });
  const onFault = (name: ClusterFaultName): void => {
    faults.set(name, faults.get(name)! + 1);
    errands.disturb();
  };
  const recovered = async (): Promise<void> => {
    await traffic.hold();
    await recover(cluster, traffic);
    traffic.resume();
    progress(`  all nodes are ready after ${minutes().toFixed(1)} minutes`);
  };
  const settle = async (): Promise<void> => {
    await recovered();
    await errands.finish();
    errands.begin();
    await traffic.answers(CALM_ANSWERS, ANSWERS_WITHIN_MS);
    await errands.finish();
    await drain(cluster, traffic, books);
    counts.audits++;
    for (const difference of audit.differences(true)) differs(difference);
  };

  try {
    await recovered();
    do {
      counts.rounds++;
      traffic.resume();
      errands.begin();
      await runRound({ cluster, traffic, troubles, chance: ofFaults, faults: wanted.faults, onFault });
      progress(`  faults have passed after ${minutes().toFixed(1)} minutes`);
      await settle();
      const stored = audit.seen.since(0).times;
      progress(
        `round ${counts.rounds}, ${minutes().toFixed(1)} minutes: ${stored} events, ${differences.length} differences`,
      );
    } while (minutes() < wanted.minutes && differences.length === 0 && enough?.aborted !== true);
    for (const difference of await commandDifferences(commands, audit.seen)) differs(difference);
  } catch (error) {
    differs((error as Error).message);
  } finally {
    await traffic.end();
    await cluster.end();
  }
  const { since, micros, byReason } = audit.seen;
  const kept = differences.length > 0 ? workDir : null;
  if (kept === null) rmSync(workDir, { recursive: true });
  return {
    ...counts,
    nodes: wanted.nodes,
    seed: wanted.seed,
    minutes: minutes(),
    starts: nodes.reduce((sum, node) => sum + node.starts, 0),
    faults,
    commands: errands.done,
    asked: traffic.asked,
    told: books.tally,
    stored: since(0).times,
    micros: micros(),
    promised: [...books.events.values()].filter(({ promised }) => promised).length,
    overBudget: byReason.get('over-budget') ?? 0,
    differences,
    kept,
  };
}
