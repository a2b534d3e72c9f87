import { quantile } from '../../bench/table.js';
import { createDraws, type Draws, fromQuantiles } from './draws.js';
import { createEventQueue, type EventQueue } from './event-queue.js';
import { createStation } from './station.js';

/** A simulated node: an event loop, encoder threads, and the queue of `server/decide/admission.ts` in front of them. */
export interface SimulatedNode {
  readonly workers: number;
  /** Matches per second; the factor and duration of a burst, which happens once a minute. */
  readonly matchesASecond: number;
  readonly burstFactor: number;
  readonly burstSeconds: number;
  /** Kinds of matches with their shares, which add up to 1. Times in milliseconds. */
  readonly kinds: readonly {
    readonly share: number;
    readonly loop: number;
    readonly encoder: number;
    /** 5th, 15th … 95th percentile; one value if all are equal. */
    readonly encoderQuantiles: readonly number[];
  }[];
  /** Beacons per match, and the event loop's milliseconds for each. */
  readonly events: number;
  readonly eventLoop: number;
  readonly seconds: number;
  readonly seed: number;
}

export interface NodeResult {
  /** Milliseconds from arrival to response, of the matches that were served. */
  readonly took: readonly number[];
  readonly p50: number;
  readonly p99: number;
  readonly mean: number;
  /** Share of matches refused with 503. */
  readonly refused: number;
  /** Mean number of matches that wait for an encoder. */
  readonly waiting: number;
  readonly encoderBusy: number;
  readonly loopBusy: number;
}

/** As in `server/decide/admission.ts`. */
const SLOTS_A_WORKER = 2;
const WAIT_MS = 400;
const LONGEST_WAIT_MS = 2000;
const FEWEST_PLACES = 8;
const MOST_PLACES = 256;
/**
 * Share of a match's event loop time spent reading it, before the encoders; the rest is for deciding and responding.
 */
const LOOP_BEFORE = 0.3;
const BURST_EVERY_MS = 60_000;
const LOOK_EVERY_MS = 10;

export function simulateNode(node: SimulatedNode): NodeResult {
  const { workers, kinds, seconds, events, eventLoop } = node;
  const queue = createEventQueue();
  const draws = createDraws(node.seed);
  const loop = createStation(queue, 1);
  const encoders = createStation(queue, workers);
  const admission = createAdmission(queue, SLOTS_A_WORKER * workers);
  const took: number[] = [];
  let [asked, refused, looks, waited] = [0, 0, 0, 0];
  const services = kinds.map(({ encoder, encoderQuantiles }) => fromQuantiles(encoderQuantiles, encoder));
  const match = (): void => {
    const begun = queue.now;
    const which = kindOf(kinds, draws.uniform());
    const { loop: onLoop } = kinds[which]!;
    const service = services[which]!(draws.uniform());
    asked++;
    loop.serve(onLoop * LOOP_BEFORE, () => {
      const admitted = (): void => {
        const admittedAt = queue.now;
        encoders.serve(service, () =>
          loop.serve(onLoop * (1 - LOOP_BEFORE), () => {
            took.push(queue.now - begun);
            admission.end(queue.now - admittedAt);
          }),
        );
      };
      admission.run(admitted, () => void refused++);
    });
  };
  arrivals(queue, draws, node, node.matchesASecond, match);
  if (events > 0) arrivals(queue, draws, node, node.matchesASecond * events, () => loop.serve(eventLoop, () => {}));
  const look = (): void => {
    looks++;
    waited += admission.waiting + encoders.waiting;
    queue.after(LOOK_EVERY_MS, look);
  };
  look();
  queue.run(seconds * 1000);
  const ms = seconds * 1000;
  return {
    took,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    mean: took.reduce((sum, each) => sum + each, 0) / took.length,
    refused: refused / asked,
    waiting: waited / looks,
    encoderBusy: encoders.worked / workers / ms,
    loopBusy: loop.worked / ms,
  };
}

/** Generates Poisson arrivals at the given rate, with a burst at the end of every minute. */
function arrivals(
  queue: EventQueue,
  draws: Draws,
  { burstFactor, burstSeconds }: Pick<SimulatedNode, 'burstFactor' | 'burstSeconds'>,
  aSecond: number,
  arrive: () => void,
): void {
  const next = (): void => {
    // Thinning: arrivals at the burst rate are dropped down to the current rate, which is exact for a changing rate.
    queue.after(draws.exponential(1000 / (aSecond * burstFactor)), () => {
      const inBurst = queue.now % BURST_EVERY_MS >= BURST_EVERY_MS - burstSeconds * 1000;
      if (inBurst || draws.uniform() * burstFactor < 1) arrive();
      next();
    });
  };
  next();
}

function kindOf(kinds: SimulatedNode['kinds'], uniform: number): number {
  let sum = 0;
  const found = kinds.findIndex(({ share }) => (sum += share) > uniform);
  return found === -1 ? kinds.length - 1 : found;
}

/** Applies the rules of `server/decide/admission.ts` in simulated time, for identical callers. */
function createAdmission(queue: EventQueue, slots: number) {
  let waiting: { begin: () => void; refuse: () => void; gone: boolean }[] = [];
  let running = 0;
  let takesMs = 50;
  const placesLeft = (): boolean => {
    const foreseen = Math.ceil((slots * WAIT_MS) / takesMs);
    return waiting.length < Math.min(MOST_PLACES, Math.max(FEWEST_PLACES, foreseen));
  };
  return {
    get waiting() {
      return waiting.length;
    },
    run(begin: () => void, refuse: () => void): void {
      if (running < slots) {
        running++;
        return begin();
      }
      if (!placesLeft()) return refuse();
      const entry = { begin, refuse, gone: false };
      waiting.push(entry);
      queue.after(LONGEST_WAIT_MS, () => {
        if (entry.gone) return;
        waiting = waiting.filter((each) => each !== entry);
        refuse();
      });
    },
    end(took: number): void {
      takesMs += (took - takesMs) / 20;
      const entry = waiting.shift();
      if (entry === undefined) return void running--;
      entry.gone = true;
      entry.begin();
    },
  };
}
