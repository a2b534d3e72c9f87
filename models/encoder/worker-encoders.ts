import type { JointEncoder, SecondEncoder, TextKind } from './encoder.js';
import type { Enqueue } from './workers.js';

/** Returns the joint encoder whose model runs in the workers. */
export function workerJointEncoder(enqueue: Enqueue): JointEncoder {
  return { read: (turns, signal) => enqueue('read', turns, signal) };
}

/** Returns the second encoder, whose smaller model runs in the same workers. */
export function workerSecondEncoder(weight: number, enqueue: Enqueue): SecondEncoder {
  const encode = (text: string, kind: TextKind, signal?: AbortSignal) =>
    enqueue('encode', { text, kind, second: true }, signal);
  return {
    weight,
    encoder: {
      embed: async (text, kind) => (await encode(text, kind)).vector,
      encodeWithSignals: (text, signal) => encode(text, 'context', signal),
    },
  };
}
