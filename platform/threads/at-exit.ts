/**
 * Delays a process's exit until its threads are idle. A process that exits while a thread runs native code is aborted
 * (SIGABRT, status 134, after "terminate called … Napi::Error"): Node stops its threads wherever they are, and
 * onnxruntime-node and usearch then throw an exception that nothing catches. The exit therefore waits until each thread
 * has finished its task, and lets none begin another. Either the thread that waits at exit is also the one that posts
 * tasks (`setActive`, `setIdle`), or the worker thread asks before each task (`begin`, `setIdle`).
 */

/** One number in memory that two threads share: whether the thread runs native code. */
export type Activity = Int32Array<SharedArrayBuffer>;

const IDLE = 0;
const ACTIVE = 1;
const STOPPED = 2;

/**
 * The longest that an exit waits: longer than a task (a tenth of a second) and than loading both models (one to two
 * seconds). After that, the process ends as it would without this wait: it may be aborted, but not before the native
 * call has returned.
 */
const LONGEST_MS = 4000;

const watched = new Set<Activity>();

/** Creates the state of a thread that is about to load its model or to start other native work. */
export function newActivity(): Activity {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(ACTIVE);
}

/** Makes this process's exit wait while the thread is active. Call `unwatch` when the thread has ended. */
export function watch(activity: Activity): void {
  if (watched.size === 0) process.on('exit', waitForAll);
  watched.add(activity);
}

export function unwatch(activity: Activity): void {
  watched.delete(activity);
  if (watched.size === 0) process.off('exit', waitForAll);
}

/** Marks a thread as active; called before a task is posted to it. */
export function setActive(activity: Activity): void {
  Atomics.store(activity, 0, ACTIVE);
}

/**
 * Marks this thread as active; called by the thread before a task that it begins itself. Never returns once the process
 * is about to exit.
 */
export function begin(activity: Activity): void {
  if (Atomics.compareExchange(activity, 0, IDLE, ACTIVE) === STOPPED) Atomics.wait(activity, 0, STOPPED);
}

/**
 * Marks this thread as idle; called by the thread when it has loaded what it needs, after every task, and when it
 * fails.
 */
export function setIdle(activity: Activity): void {
  Atomics.store(activity, 0, IDLE);
  Atomics.notify(activity, 0);
}

function waitForAll(): void {
  const deadline = performance.now() + LONGEST_MS;
  for (const activity of watched) {
    // A thread that begins tasks itself may begin one between the wait and the stop.
    while (Atomics.compareExchange(activity, 0, IDLE, STOPPED) === ACTIVE && performance.now() < deadline)
      Atomics.wait(activity, 0, ACTIVE, Math.max(0, deadline - performance.now()));
  }
}
