/**
 * A process that ends while a thread runs the model is aborted (SIGABRT, status 134, after "terminate called …
 * Napi::Error"): Node ends its threads wherever they are, and onnxruntime-node then throws where nothing catches.
 * So an exit waits here until each thread has ended its task; the next is posted by the one who waits.
 */

/** One number that two threads see: whether the thread that holds a model runs it, or loads it. */
export type Activity = Int32Array<SharedArrayBuffer>;

const IDLE = 0;
const ACTIVE = 1;

/**
 * Longer than a task (a tenth of a second) and than loading both models (one to two) take; the end of a process waits no longer.
 * After it the process ends as it would without this: aborted perhaps, and not before the call has returned.
 */
const LONGEST_MS = 4000;

const watched = new Set<Activity>();

/** Of a thread that is about to load its model. */
export function newActivity(): Activity {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(ACTIVE);
}

/** Has the end of this process wait while the thread runs its model; `unwatch` when the thread has ended. */
export function watch(activity: Activity): void {
  if (watched.size === 0) process.on('exit', waitForAll);
  watched.add(activity);
}

export function unwatch(activity: Activity): void {
  watched.delete(activity);
  if (watched.size === 0) process.off('exit', waitForAll);
}

/** Before a task is posted to the thread. */
export function setActive(activity: Activity): void {
  Atomics.store(activity, 0, ACTIVE);
}

/** By the thread, when its model is loaded, after every task, and when it ends by a fault. */
export function setIdle(activity: Activity): void {
  Atomics.store(activity, 0, IDLE);
  Atomics.notify(activity, 0);
}

function waitForAll(): void {
  const deadline = performance.now() + LONGEST_MS;
  for (const activity of watched) Atomics.wait(activity, 0, ACTIVE, Math.max(0, deadline - performance.now()));
}
