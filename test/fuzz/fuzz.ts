import pLimit from 'p-limit';
import { hostileConnection } from './hostile/connection.js';
import { findFaults } from './faults.js';
import type { Measured } from './event-loop-child.js';
import { honestVisit, type Prepared, prepare } from './prepare.js';
import { randomFor } from './hostile/random.js';
import { sendHostile } from './send.js';

export interface FuzzOptions {
  /** Minimum number of requests. */
  readonly requests: number;
  readonly seed: number;
  /** Number of the first connection; together with the seed, it repeats a reported fault. */
  readonly first?: number | undefined;
  /** An empty directory for the server's data. */
  readonly dataDir: string;
  readonly onProgress?: (progress: FuzzOutcome) => void;
}

/** The results of a run so far. */
export interface FuzzOutcome {
  readonly requests: number;
  readonly connections: number;
  /** Number of responses by status; 0 for connections that ended without a response. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Descriptions of faults, each with the connection's number; the first hundred. */
  readonly faults: readonly string[];
  readonly honestVisits: number;
  /** One after each round, the first after the warm-up. */
  readonly measured: readonly Measured[];
}

/** Maximum number of concurrent connections. */
const AT_ONCE = 24;
const ROUND = 500;
const MAX_FAULTS = 100;

/** Sends hostile requests to a server that it starts and ends itself, until enough are sent. */
export async function fuzz(options: FuzzOptions): Promise<FuzzOutcome> {
  const prepared = await prepare(options.dataDir);
  const { server } = prepared;
  try {
    const outcome = await sendAll(prepared, options);
    const code = server.running ? await server.end() : null;
    const faults = [...outcome.faults, ...findFaults.inLog(server.log())];
    if (code !== 0) faults.push(`the server ended with ${code}`);
    return { ...outcome, faults };
  } finally {
    await server.end();
  }
}

async function sendAll(prepared: Prepared, options: FuzzOptions): Promise<FuzzOutcome> {
  const { server } = prepared;
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const measured: Measured[] = [];
  let [requests, connections, honestVisits] = [0, options.first ?? 0, 0];
  let { world } = prepared;
  const limit = pLimit(AT_ONCE);
  const report = (fault: string): void => void (faults.length < MAX_FAULTS && faults.push(fault));
  const outcome = (): FuzzOutcome => ({ requests, connections, statuses, faults, honestVisits, measured });

  const sendOne = async (number: number): Promise<void> => {
    const random = randomFor(options.seed, number);
    const connection = hostileConnection(world, random);
    const from = `127.${random.below(250)}.${random.below(250)}.${1 + random.below(250)}`;
    const received = await sendHostile(server.port, from, connection);
    for (const status of received.statuses.length > 0 ? received.statuses : [0]) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    requests += connection.requests;
    for (const fault of findFaults.inAnswer(received)) report(`connection ${number} (${connection.kind}): ${fault}`);
  };

  while (requests < options.requests && server.running) {
    const round = Array.from({ length: ROUND }, (_, at) => connections + at);
    connections += ROUND;
    const visits = limit.map(round, sendOne);
    const fault = await honestVisit(prepared).catch((error: unknown) => `no answer: ${String(error)}`);
    honestVisits++;
    if (fault !== null) report(`before connection ${connections}: ${fault}`);
    await visits;
    if (!server.running) break;
    measured.push(await server.measure());
    // The first round compiles code and fills caches.
    if (measured.length === 1) server.begin();
    world = await prepared.signedIn();
    options.onProgress?.(outcome());
  }
  if (!server.running) report('the server ended by itself');
  else {
    const last = await honestVisit(prepared);
    if (last !== null) report(`at the end: ${last}`);
  }
  return outcome();
}
