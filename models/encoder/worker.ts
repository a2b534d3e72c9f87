import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type Activity, setIdle } from '../../platform/threads/at-exit.js';
import type { RerankCandidate, Encoding, Reading, Turn, TextKind } from './encoder.js';
import { loadJointTransformer } from './joint-transformer.js';
import type { EncoderProfile } from './profile.js';
import { loadTransformer } from './transformer.js';

/** One piece of work, and what it gives. */
export type Task =
  | { readonly task: 'encode'; readonly text: string; readonly kind: TextKind; readonly second?: true }
  | { readonly task: 'read'; readonly turns: readonly Turn[]; readonly keep: boolean }
  | {
      readonly task: 'judge';
      readonly memory: Float32Array;
      readonly vector: Float32Array;
      readonly ads: readonly RerankCandidate[];
    };
export interface Results {
  readonly encode: Encoding;
  readonly read: Reading;
  readonly judge: Float32Array;
}

/** What the pool sends: one task at a time, or the order to end. */
export type ToWorker = Task | 'close';
/** What a worker sends: that it is ready, then a result or an error for each task. */
export type FromWorker = 'ready' | { readonly result: Results[Task['task']] } | { readonly error: string };
/** What a worker is started with. */
export interface WorkerData {
  readonly profile: EncoderProfile;
  readonly activity: Activity;
}

/** Beyond the process's own: about half the weight of others, when all want the same core. */
const NICER_BY = 3;

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

yieldToOthers();
const { profile, activity } = workerData as WorkerData;
// A fault ends this thread; nobody is to wait for it.
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
    if (task.task === 'read') return joint.read(task.turns, task.keep);
    if (task.task === 'judge') return joint.judge(task.memory, task.vector, task.ads);
    if (task.second) {
      if (second === null) throw new Error('this encoder has no second reader');
      return second(task.text, task.kind);
    }
    return task.kind === 'creative'
      ? joint.embed(task.text)
      : joint.read([{ speaker: 'user', text: task.text }], false);
  };
}

/**
 * Where a thread has a priority of its own, it is lower than the event loop's, which has little to do and should never
 * wait for a model. Elsewhere the call would mean the whole process.
 */
function yieldToOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + NICER_BY, constants.priority.PRIORITY_LOW));
  } catch {
    // Forbidden here: the threads share the cores as equals.
  }
}

/** The buffers of a result, to be handed over instead of copied. */
function buffersOf(result: Results[Task['task']]): ArrayBuffer[] {
  const arrays =
    result instanceof Float32Array
      ? [result]
      : [result.vector, ...('memory' in result && result.memory ? [result.memory] : [])];
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

port.on('message', (message: ToWorker) => {
  if (message === 'close') {
    port.close();
    return;
  }
  new Promise<Results[Task['task']]>((resolve) => resolve(perform(message)))
    .finally(() => setIdle(activity))
    .then(
      (result) => port.postMessage({ result } satisfies FromWorker, buffersOf(result)),
      (error: unknown) => port.postMessage({ error: String(error) } satisfies FromWorker),
    );
});
setIdle(activity);
port.postMessage('ready' satisfies FromWorker);
