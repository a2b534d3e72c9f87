import { quantile } from '../../bench/table.js';
import { createDraws } from './draws.js';
import { createEventQueue } from './event-queue.js';
import { createLock, type Lock } from './locks.js';
import { createStation } from './station.js';

/** One PostgreSQL and the nodes that count in it, each with at most one batch in progress. Times in milliseconds. */
export interface SimulatedDatabase {
  readonly nodes: number;
  readonly cores: number;
  /** Of all nodes. Infinity: each node always has `callers` waiting events, as in `npm run bench -- servers`. */
  readonly eventsASecond: number;
  readonly callers?: number;
  readonly roundTrip: number;
  /** Processor time. */
  readonly batch: number;
  readonly event: number;
  readonly sync: number;
  /** Accounts with a budget are drawn as `floor(u³ · campaigns)`. */
  readonly campaigns: number;
  readonly budgetShare: number;
  /** Nodes above this number lock each account of a batch exclusively. */
  readonly sharingServers: number;
  /**
   * Processor time of a step of the pruning walk, which the first node begins within the first second: a step every
   * second. 0 for no walk.
   */
  readonly pruneStep: number;
  readonly seconds: number;
  readonly seed: number;
}

export interface DatabaseResult {
  /** How long an event waits until it is durable, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly eventsASecond: number;
  readonly batchesASecond: number;
  /** Events not yet durable at the end and halfway: if they increase, the database does not keep up. */
  readonly waiting: number;
  readonly waitingHalfWay: number;
  /** Mean share of nodes whose batch waits for a lock. */
  readonly waitingForLocks: number;
  readonly coresBusy: number;
}

const MOST_A_BATCH = 5000;
const LOCKS = 256;
/** `PRUNE_WAIT_MS` of server/ledger/ledger-worker.ts. */
const PRUNE_WAIT_MS = 100;
/** Of a step of server/ledger/retention.ts: the lock, three queries, the commit. */
const PRUNE_ROUND_TRIPS = 5;
const LOOK_EVERY_MS = 10;
/** Number of a batch's events that represent all of them. */
const LOOKED_AT = 8;

interface Node {
  /** Number of waiting events, and since when they are counted. */
  waiting: number;
  since: number;
  /** Events in the current batch; 0 if there is none. */
  underWay: number;
}

/**
 * Simulates batches: one round trip takes the ledger's lock and the accounts' locks and reads what is needed to decide;
 * another writes; then the log is flushed to disk, together with commits that arrive meanwhile; then the locks are
 * released.
 *
 * One node prunes. Its ledger thread runs either a batch or a pruning step. The first step of a walk locks the ledger
 * exclusively; the others share the lock with the batches of other nodes.
 */
export function simulateDatabase(database: SimulatedDatabase): DatabaseResult {
  const { nodes: count, cores, roundTrip, batch, event, sync, sharingServers, callers = 0 } = database;
  const isClosed = database.eventsASecond === Infinity;
  const rate = database.eventsASecond / count / 1000;
  const queue = createEventQueue();
  const draws = createDraws(database.seed);
  const processors = createStation(queue, cores);
  const ledger = createLock();
  const accounts = Array.from({ length: LOCKS }, createLock);
  const nodes = Array.from({ length: count }, (): Node => ({
    waiting: isClosed ? callers : 0,
    since: 0,
    underWay: 0,
  }));
  const waits: number[] = [];
  let [done, batches, locked, looks, lockedSum] = [0, 0, 0, 0, 0];
  const flush = createGroupCommit(sync, (ms, then) => queue.after(ms, then));
  const pruner = nodes[0]!;
  let [isWalking, isStepDue, isStepping, isBatchDue] = [false, false, false, false];

  /** Adds the events that arrived since the last call. */
  const arrive = (node: Node): void => {
    if (isClosed) return;
    node.waiting += draws.poisson(rate * (queue.now - node.since));
    node.since = queue.now;
  };
  const begin = (node: Node, slot: number): void => {
    if (node === pruner) {
      if (isStepDue && !isStepping) step();
      if (isStepping) {
        isBatchDue = true;
        node.underWay = 0;
        return;
      }
    }
    const from = node.since;
    arrive(node);
    const size = Math.min(MOST_A_BATCH, node.waiting);
    if (size === 0) {
      node.underWay = 0;
      if (!isClosed) wakeUp(node, slot);
      return;
    }
    node.waiting -= size;
    node.underWay = size;
    const wanted = locksOf(size, slot > sharingServers);
    const held: [Lock, boolean][] = [];
    const take = (place: number): void => {
      const [lock, alone] = wanted[place] ?? [];
      if (lock === undefined) return work();
      let isGranted = false;
      let isWaiting = false;
      lock.take(alone!, () => {
        isGranted = true;
        if (isWaiting) locked--;
        held.push([lock, alone!]);
        take(place + 1);
      });
      if (!isGranted) [isWaiting, locked] = [true, locked + 1];
    };
    const half = (batch + size * event) / 2;
    const work = (): void =>
      processors.serve(half, () =>
        queue.after(roundTrip, () => processors.serve(half, () => flush(() => end(node, slot, size, from, held)))),
      );
    queue.after(roundTrip / 2, () => take(0));
  };
  const end = (node: Node, slot: number, size: number, from: number, held: readonly [Lock, boolean][]): void => {
    for (const [lock, alone] of held) lock.release(alone);
    queue.after(roundTrip / 2, () => {
      batches++;
      done += size;
      const begun = node.since;
      for (let each = 0; each < Math.min(size, LOOKED_AT); each++) {
        waits.push(queue.now - (isClosed ? begun : from + draws.uniform() * (begun - from)));
      }
      if (isClosed) [node.waiting, node.since] = [node.waiting + size, queue.now];
      begin(node, slot);
    });
  };
  /** Starts a batch when an idle node's next event arrives. */
  const wakeUp = (node: Node, slot: number): void =>
    queue.after(draws.exponential(1 / rate), () => {
      [node.waiting, node.since] = [1, queue.now];
      begin(node, slot);
    });
  const locksOf = (size: number, alone: boolean): (readonly [Lock, boolean])[] => {
    const limited = Math.min(size, draws.poisson(size * database.budgetShare));
    const numbers = new Set<number>();
    for (let each = 0; each < limited && numbers.size < LOCKS; each++) {
      numbers.add(Math.floor(draws.uniform() ** 3 * database.campaigns) % LOCKS);
    }
    const ordered = [...numbers].toSorted((one, other) => one - other);
    return [[ledger, false] as const, ...ordered.map((number) => [accounts[number]!, alone] as const)];
  };
  const prune = (): void => {
    queue.after(1000, prune);
    isStepDue = true;
    // Otherwise the step runs after the pruner's current batch.
    if (pruner.underWay === 0 && !isStepping) step();
  };
  const step = (): void => {
    [isStepDue, isStepping] = [false, true];
    const isFirst = !isWalking;
    const commit = (): void =>
      flush(() => {
        isWalking = true;
        ledger.release(isFirst);
        queue.after(roundTrip / 2, endStep);
      });
    queue.after(roundTrip / 2, () => {
      const giveUp = ledger.take(isFirst, () =>
        processors.serve(database.pruneStep, () => queue.after((PRUNE_ROUND_TRIPS - 1) * roundTrip, commit)),
      );
      queue.after(PRUNE_WAIT_MS, () => {
        if (giveUp()) endStep();
      });
    });
  };
  const endStep = (): void => {
    isStepping = false;
    if (!isBatchDue) return;
    isBatchDue = false;
    begin(pruner, 1);
  };
  const look = (): void => {
    looks++;
    lockedSum += locked / count;
    queue.after(LOOK_EVERY_MS, look);
  };

  nodes.forEach((node, at) => {
    if (isClosed) queue.after(draws.uniform() * 10, () => begin(node, at + 1));
    else wakeUp(node, at + 1);
  });
  if (database.pruneStep > 0) queue.after(draws.uniform() * 1000, prune);
  look();
  const ms = database.seconds * 1000;
  const notYetDurable = (): number =>
    nodes.reduce((sum, { waiting, since, underWay }) => {
      const came = underWay > 0 && !isClosed ? rate * (queue.now - since) : 0;
      return sum + waiting + underWay + came;
    }, 0);
  queue.run(ms / 2);
  const waitingHalfWay = notYetDurable();
  queue.run(ms);
  return {
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    eventsASecond: done / database.seconds,
    batchesASecond: batches / database.seconds,
    waiting: notYetDurable(),
    waitingHalfWay,
    waitingForLocks: lockedSum / looks,
    coresBusy: processors.worked / ms,
  };
}

/** Writes the log once at a time; commits that arrive during a write share the next. */
function createGroupCommit(sync: number, after: (ms: number, then: () => void) => void) {
  let next: (() => void)[] | null = null;
  const write = (done: (() => void)[]): void =>
    after(sync, () => {
      const following = next!;
      next = following.length > 0 ? [] : null;
      if (following.length > 0) write(following);
      for (const each of done) each();
    });
  return (done: () => void): void => {
    if (next !== null) return void next.push(done);
    next = [];
    write([done]);
  };
}
