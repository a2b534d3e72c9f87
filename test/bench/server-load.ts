import { Worker } from 'node:worker_threads';

/** Interval at which the event loop checks its clock; anything beyond it is delay. */
const RESOLUTION_MS = 10;

/** The load of a server while some work ran. */
export interface ServerLoad<T> {
  readonly result: T;
  /** p99 delay of its event loop, in milliseconds. */
  readonly loop: number;
  /** p99 delay of an idle thread on the same machine. */
  readonly idle: number;
  /** Processor time of all its threads. */
  readonly cpuSeconds: number;
}

/** Watches a server's `/metrics` while some work runs. */
export async function whileServing<T>(origin: string, work: () => Promise<T>): Promise<ServerLoad<T>> {
  const look = async () => {
    const page = await (await fetch(`${origin}/metrics`)).text();
    const valueOf = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(page)?.[1]);
    const delay = valueOf('nodejs_eventloop_lag_p99_seconds') * 1000 - RESOLUTION_MS;
    return { delay, cpuSeconds: valueOf('process_cpu_seconds_total') };
  };
  const idle = new Worker(
    `const { monitorEventLoopDelay } = require('node:perf_hooks');
     const { parentPort } = require('node:worker_threads');
     const delay = monitorEventLoopDelay({ resolution: ${RESOLUTION_MS} });
     delay.enable();
     parentPort.once('message', () => { parentPort.postMessage(delay.percentile(99) / 1e6); });`,
    { eval: true },
  );
  // Reading the page resets its delays.
  const before = await look();
  const result = await work();
  const after = await look();
  const idleDelay = await new Promise<number>((resolve) => {
    idle.once('message', resolve);
    idle.postMessage('end');
  });
  await idle.terminate();
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  return { result, loop: after.delay, idle: idleDelay - RESOLUTION_MS, cpuSeconds };
}
