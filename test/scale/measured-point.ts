import { setTimeout as pause } from 'node:timers/promises';
import { match } from '../support/installation.js';
import { conversations, timed, withService } from '../bench/service.js';
import { duration, quantile } from '../bench/table.js';
import type { MatchCost } from './inputs.js';
import { createDraws, type Draws } from './simulation/draws.js';
import { simulateNode } from './simulation/node-simulation.js';

/** A real server under load, compared with simulations of it; milliseconds. */
export interface MeasuredPoint {
  /** Mean durations of matches run one at a time, for each measurement. */
  readonly alone: readonly number[];
  readonly measured: readonly number[];
  /** Number of 503 responses. */
  readonly refused: number;
  /** Durations of as many matches, for each simulation. */
  readonly simulated: readonly (readonly number[])[];
}

/** Load as a share of the rate at which one encoder thread can work sequentially. */
const LOAD = 0.6;
const WARM_UP = 60;
const TEXTS = 12;
const MATCHES_A_BLOCK = 25;
const RUNS = 100;

/** @returns whether the request was served rather than refused */
type Ask = (text: string) => Promise<boolean>;

/**
 * Measures the built server with one encoder thread, with matches arriving as a Poisson process at 60 % of the rate
 * that it can serve sequentially. Measures in blocks, and between them runs the same conversations one at a time,
 * because other work on the machine affects their duration and changes over time. The simulation uses these durations,
 * so the comparison shows how queues lengthen them.
 *
 * @param cost the event loop's part of it is used for a match
 */
export function measuredPoint(cost: MatchCost, blocks = 10, seed = 1): Promise<MeasuredPoint> {
  return withService(1, async ({ origin, key }) => {
    const ask: Ask = async (text) => {
      const response = await match(origin, key, text);
      await response.arrayBuffer();
      return response.status !== 503;
    };
    const texts = conversations(WARM_UP + TEXTS);
    await timed(texts.slice(0, WARM_UP), 1, ask);
    const some = texts.slice(WARM_UP);
    const draws = createDraws(seed);
    const looks = [await timed(some, 1, ask)];
    const measured: number[] = [];
    const rates: number[] = [];
    for (let block = 0; block < blocks; block++) {
      rates.push((1000 * LOAD) / mean(looks.at(-1)!));
      measured.push(...(await poisson(some, rates.at(-1)!, draws, ask)));
      looks.push(await timed(some, 1, ask));
    }
    const simulated = Array.from({ length: RUNS }, (_, run) =>
      rates.flatMap((matchesASecond, block) => {
        const near = [...looks[block]!, ...looks[block + 1]!];
        return simulatedBlock(near, Math.min(cost.loop, mean(near) / 2), matchesASecond, seed + run * blocks + block);
      }),
    );
    return { alone: looks.map(mean), measured, refused: blocks * MATCHES_A_BLOCK - measured.length, simulated };
  });
}

/** Sends each request when it is due, whether or not earlier ones have been answered. */
async function poisson(texts: readonly string[], aSecond: number, draws: Draws, ask: Ask): Promise<number[]> {
  const begun = performance.now();
  const took: number[] = [];
  const asked: Promise<void>[] = [];
  for (let due = 0; asked.length < MATCHES_A_BLOCK; due += draws.exponential(1000 / aSecond)) {
    await pause(Math.max(0, begun + due - performance.now()));
    const text = texts[Math.floor(draws.uniform() * texts.length)]!;
    const from = performance.now();
    asked.push(ask(text).then((isAnswered) => void (isAnswered && took.push(performance.now() - from))));
  }
  await Promise.all(asked);
  return took;
}

function simulatedBlock(alone: readonly number[], loop: number, matchesASecond: number, seed: number) {
  const encoderQuantiles = Array.from({ length: 10 }, (_, tenth) =>
    Math.max(1, quantile(alone, (tenth + 0.5) / 10) - loop),
  );
  const { took } = simulateNode({
    workers: 1,
    matchesASecond,
    burstFactor: 1,
    burstSeconds: 0,
    kinds: [{ share: 1, loop, encoder: mean(alone) - loop, encoderQuantiles }],
    events: 0,
    eventLoop: 0,
    seconds: MATCHES_A_BLOCK / matchesASecond,
    seed,
  });
  return took;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Formats the comparison as lines of text. */
export function describePoint({ alone, measured, refused, simulated }: MeasuredPoint): string {
  const figures: [string, (took: readonly number[]) => number][] = [
    ['p50', (took) => quantile(took, 0.5)],
    ['mean', mean],
    ['p90', (took) => quantile(took, 0.9)],
    ['p99', (took) => quantile(took, 0.99)],
  ];
  const range = `${duration(Math.min(...alone))} to ${duration(Math.max(...alone))}`;
  return [
    `one at a time, means of ${alone.length} looks: ${range}; ${measured.length} matches at 60 % of that, ${refused} refused`,
    ...figures.map(([name, of]) => {
      const real = of(measured);
      const runs = simulated.map(of);
      const [low, middle, high] = [0.05, 0.5, 0.95].map((share) => quantile(runs, share)) as [number, number, number];
      const deviation = (100 * (middle - real)) / real;
      return `${name}: measured ${duration(real)}, simulated ${duration(middle)} (90 of 100 simulations: ${duration(low)} to ${duration(high)}), deviation ${deviation.toFixed(0)} %`;
    }),
  ].join('\n');
}
