import { readFileSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';
import { CONTROL_FILE, type Control, type ThreadName } from '../calls/control.js';

// `node --import` loads this into every process and thread under torture; the product does not know it. It moves the
// clock and ends threads as the file named by the environment variable says.
const file = process.env[CONTROL_FILE]!;
const LOOK_EVERY_MS = 25;
let control = read();
let readAt = performance.now();

function read(): Control {
  return JSON.parse(readFileSync(file, 'utf8')) as Control;
}

function current(): Control {
  if (performance.now() - readAt > LOOK_EVERY_MS) {
    control = read();
    readAt = performance.now();
  }
  return control;
}

const trueNow = Date.now;
const now = (): number => trueNow() + current().offsetMs;
Date.now = now;
// A proxy keeps the prototype, so that `instanceof Date` holds for all dates.
globalThis.Date = new Proxy(Date, {
  construct: (made, given: unknown[], as) => Reflect.construct(made, given.length === 0 ? [now()] : given, as) as Date,
});

const thread = nameOf(workerData as Record<string, unknown> | null);
if (!isMainThread && thread !== undefined) {
  const before = control.deaths[thread];
  setInterval(() => {
    if (current().deaths[thread] > before) throw new Error(`the ${thread}'s thread was killed by the test`);
  }, LOOK_EVERY_MS).unref();
}

/** Identifies a thread by the data with which the server starts it. */
function nameOf(data: Record<string, unknown> | null): ThreadName | undefined {
  if (data !== null && 'busyTimeoutMs' in data) return 'ledger';
  return data !== null && 'profile' in data ? 'encoder' : undefined;
}
