import type { JointEncoder, SecondEncoder, TextKind } from './encoder.js';
import type { Results, Task } from './worker.js';

/** Queues a task for a worker. @throws EncoderBusyError, or the signal's reason */
export type Enqueue = <T extends Task>(task: T, signal?: AbortSignal) => Promise<Results[T['task']]>;

/** Returns the joint encoder whose model runs in the workers. */
export function workerJointEncoder(enqueue: Enqueue): JointEncoder {
  return { read: (turns, signal) => enqueue({ task: 'read', turns }, signal) };
}

/** Returns the second encoder, whose smaller model runs in the same workers. */
export function workerSecondEncoder(weight: number, enqueue: Enqueue): SecondEncoder {
  const encode = (text: string, kind: TextKind, signal?: AbortSignal) =>
    enqueue({ task: 'encode', text, kind, second: true }, signal);
  return {
    weight,
    encoder: {
      embed: async (text, kind) => (await encode(text, kind)).vector,
      encodeWithSignals: (text, signal) => encode(text, 'context', signal),
    },
  };
}
