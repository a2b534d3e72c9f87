/**
 * A process that ends while a thread runs native code is aborted (SIGABRT, status 134, after "terminate called …
 * Napi::Error"): Node ends its threads wherever they are, and onnxruntime-node and usearch then throw where nothing catches.
 * So an exit waits here until each thread has ended its task, and lets none begin another: either the one who waits is the one
 * who posts tasks (`setActive`, `setIdle`), or the thread asks before each (`begin`, `setIdle`).
 */

/** One number that two threads see: whether the thread runs native code. */
export type Activity = Int32Array<SharedArrayBuffer>;

const IDLE = 0;
const ACTIVE = 1;
const STOPPED = 2;

/**
 * Longer than a task (a tenth of a second) and than
 * loading both models (one to two) take; the end of a process waits no longer.
 * After it the process ends as it would without this: aborted perhaps, and not before the call has returned.
 */
const LONGEST_MS = 4000;

const watched = new Set<Activity>();

/** Of a thread that is about to load its model, or whatever else native it starts with. */
export function newActivity(): Activity {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(ACTIVE);
}

/** Has the end of this process wait while the thread is active; `unwatch` when the thread has ended. */
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

/** By the thread, before a task that it begins by itself. Never returns once the process is about to end. */
export function begin(activity: Activity): void {
  if (Atomics.compareExchange(activity, 0, IDLE, ACTIVE) === STOPPED) Atomics.wait(activity, 0, STOPPED);
}

/** By the thread, when it has loaded what it needs, after every task, and when it ends by a fault. */
export function setIdle(activity: Activity): void {
  Atomics.store(activity, 0, IDLE);
  Atomics.notify(activity, 0);
}

function waitForAll(): void {
  const deadline = performance.now() + LONGEST_MS;
  for (const activity of watched) {
    // A thread that begins tasks by itself may begin one between the wait and the stop.
    while (Atomics.compareExchange(activity, 0, IDLE, STOPPED) === ACTIVE && performance.now() < deadline)
      Atomics.wait(activity, 0, ACTIVE, Math.max(0, deadline - performance.now()));
  }
}
