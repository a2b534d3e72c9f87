import { setTimeout as pause } from 'node:timers/promises';
import type { Reconciliation } from '../reconciliation/reconciliation.js';
import type { Traffic } from '../calls/traffic.js';
import { patiently } from '../processes/busy.js';
import { eventually } from '../../support/eventually.js';
import type { StartedCluster } from './started-cluster.js';

/** Maximum time to recover from a fault, on a busy machine. */
const RECOVERY_MS = 300_000;

/**
 * Resolves once all nodes are ready without intervention and an event counts.
 *
 * @throws Error if that takes too long
 */
export async function recover({ nodes }: StartedCluster, traffic: Traffic): Promise<void> {
  await eventually(async () => {
    const ready = await Promise.all(nodes.map((node) => node.isReady()));
    const away = ready.flatMap((isReady, at) => (isReady ? [] : [`node-${at + 1}`]));
    if (away.length > 0) throw new Error(`not ready, though nothing is wrong any more: ${away.join(', ')}`);
  }, RECOVERY_MS);
  await eventually(async () => {
    if ((await traffic.probe()) !== 'counted') throw new Error('nothing is counted, though nothing is wrong any more');
  }, RECOVERY_MS);
}

/** Interval between checks for spooled events. */
const LOOK_EVERY_MS = 1000;

/**
 * Holds the callers and resolves once the ledger has everything that was spooled on the nodes' disks.
 *
 * @throws Error if events remain spooled
 */
export async function drain(reconciliation: Reconciliation, traffic: Traffic): Promise<void> {
  await traffic.hold();
  await eventually(async () => {
    const waiting = await patiently(() => reconciliation.waiting());
    if (waiting.length === 0) return;
    await pause(LOOK_EVERY_MS);
    throw new Error(`events wait for the ledger, which counts: ${waiting.join(', ')}`);
  }, RECOVERY_MS);
}
