import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type Activity, setIdle } from '../../platform/threads/at-exit.js';
import type { Encoding, Reading, Turn, TextKind } from './encoder.js';
import { loadJointTransformer } from './joint-transformer.js';
import type { EncoderProfile } from './profile.js';
import { loadTransformer } from './transformer.js';

/** A worker's tasks, and their results. */
export type Task =
  | { readonly task: 'encode'; readonly text: string; readonly kind: TextKind; readonly second?: true }
  | { readonly task: 'read'; readonly turns: readonly Turn[] };
export interface Results {
  readonly encode: Encoding;
  readonly read: Reading;
}

/** Messages of the pool: one task at a time, or the request to close. */
export type ToWorker = Task | 'close';
/** Messages of a worker: `ready`, then a result or an error per task. */
export type FromWorker = 'ready' | { readonly result: Results[Task['task']] } | { readonly error: string };
/** A worker's input. */
export interface WorkerData {
  readonly profile: EncoderProfile;
  readonly activity: Activity;
}

/** Added to the process's nice value: about half the weight of other threads that compete for a core. */
const NICER_BY = 3;

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

yieldToOthers();
const { profile, activity } = workerData as WorkerData;
// After a fault ends this thread, the process must not wait for it.
process.once('exit', () => setIdle(activity));
const perform = await load(profile);

async function load(profile: EncoderProfile): Promise<(task: Task) => Promise<Results[Task['task']]>> {
  if (profile.layout === 'single') {
    const transformer = await loadTransformer(profile);
    return (task) => {
      if (task.task !== 'encode') throw new Error('this encoder only encodes');
      return transformer(task.text, task.kind);
    };
  }
  const joint = await loadJointTransformer(profile);
  const second = profile.second && (await loadTransformer(profile.second.profile));
  return (task) => {
    if (task.task === 'read') return joint.read(task.turns);
    if (task.second) {
      if (second === null) throw new Error('this model has no second encoder');
      return second(task.text, task.kind);
    }
    return task.kind === 'creative' ? joint.embed(task.text) : joint.read([{ speaker: 'user', text: task.text }]);
  };
}

/**
 * Gives this thread a lower priority than the event loop, which has little to do and should never wait for a model.
 * Only where threads have priorities of their own (Linux); elsewhere the call would affect the whole process.
 */
function yieldToOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + NICER_BY, constants.priority.PRIORITY_LOW));
  } catch {
    // Not permitted: the threads share the cores as equals.
  }
}

port.on('message', (message: ToWorker) => {
  if (message === 'close') {
    port.close();
    return;
  }
  new Promise<Results[Task['task']]>((resolve) => resolve(perform(message)))
    .finally(() => setIdle(activity))
    .then(
      // Transfers the vector instead of copying it.
      (result) => port.postMessage({ result } satisfies FromWorker, [result.vector.buffer as ArrayBuffer]),
      (error: unknown) => port.postMessage({ error: String(error) } satisfies FromWorker),
    );
});
setIdle(activity);
port.postMessage('ready' satisfies FromWorker);
