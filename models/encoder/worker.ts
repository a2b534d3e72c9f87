import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { answerOpening, answerRequests } from '../../platform/threads/answer.js';
import { type Activity, setIdle } from '../../platform/threads/at-exit.js';
import type { Encoding, Reading, Turn, TextKind } from './encoder.js';
import { loadJointTransformer } from './joint-transformer.js';
import type { EncoderProfile } from './profile.js';
import { loadTransformer } from './transformer.js';

export interface EncoderTasks {
  encode(task: EncodeTask): Promise<Encoding>;
  read(turns: readonly Turn[]): Promise<Reading>;
}
export interface EncodeTask {
  readonly text: string;
  readonly kind: TextKind;
  /** Whether the second encoder encodes it. */
  readonly second?: true;
}

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
const { encode, read } = await load(profile);

answerRequests<EncoderTasks>(
  port,
  { encode: (task) => thenIdle(encode(task)), read: (turns) => thenIdle(read(turns)) },
  // Moves the vector instead of copying it.
  { failureOf: String, transfer: ({ vector }) => [vector.buffer as ArrayBuffer] },
);
setIdle(activity);
answerOpening(port, { result: undefined });

function thenIdle<Result>(task: Promise<Result>): Promise<Result> {
  return task.finally(() => setIdle(activity));
}

async function load(profile: EncoderProfile): Promise<EncoderTasks> {
  if (profile.layout === 'single') {
    const transformer = await loadTransformer(profile);
    return {
      encode: async ({ text, kind }) => transformer(text, kind),
      async read() {
        throw new Error('this encoder only encodes');
      },
    };
  }
  const joint = await loadJointTransformer(profile);
  const second = profile.second && (await loadTransformer(profile.second.profile));
  return {
    async encode({ text, kind, second: usesSecond }) {
      if (usesSecond) {
        if (second === null) throw new Error('this model has no second encoder');
        return second(text, kind);
      }
      return kind === 'creative' ? joint.embed(text) : joint.read([{ speaker: 'user', text }]);
    },
    read: async (turns) => joint.read(turns),
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
