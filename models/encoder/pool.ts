import './no-telemetry.js';
import { Worker } from 'node:worker_threads';
import type { Encoder } from './encoder.js';
import { fingerprintOf } from './fingerprint.js';
import { catalogueDims, type EncoderProfile } from './profile.js';
import { workerJointEncoder, workerSecondEncoder } from './worker-encoders.js';
import { EncoderWorkers } from './workers.js';
import type { WorkerData } from './worker.js';

export interface PoolOptions {
  /**
   * Threads, each with its own copy of the model: about 60 MB, 400 MB for the larger one with its second encoder, and
   * 150 MB more with the one for other languages. One per core pays, more do not.
   */
  readonly workers: number;
  /** Max number of tasks that wait for a worker; beyond it, tasks fail with EncoderBusyError. Default 256. */
  readonly queueLimit?: number;
  /** Starts a worker thread; default: `worker.js` in this directory. */
  readonly spawn?: (data: WorkerData) => Worker;
}

/** An encoder that reports its load. */
export interface EncoderPool extends Encoder {
  /** Number of tasks that wait for a worker. */
  readonly waiting: number;
  /**
   * Number of workers that have loaded their model: the lower number of this encoder and the multilingual one. 0:
   * encoding is not possible.
   */
  readonly ready: number;
}

/**
 * Starts an encoder in worker threads, so that the event loop never waits for the model.
 *
 * @throws Error if the model cannot be loaded
 */
export async function createEncoder(profile: EncoderProfile, options: PoolOptions): Promise<EncoderPool> {
  const fingerprint = await fingerprintOf(profile);
  const multilingual = profile.multilingual === null ? undefined : await createEncoder(profile.multilingual, options);
  const workers = new EncoderWorkers(profile, options.queueLimit ?? 256, options.spawn ?? spawn);
  const { enqueue } = workers;
  const close = async (): Promise<void> => {
    await Promise.all([workers.close(), multilingual?.close()]);
  };
  try {
    await workers.start(options.workers);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    dims: catalogueDims(profile),
    fingerprint,
    english: profile.english,
    joint: profile.layout === 'joint' ? workerJointEncoder(enqueue) : undefined,
    second: profile.second ? workerSecondEncoder(profile.second.weight, enqueue) : undefined,
    multilingual,
    get waiting() {
      return workers.waiting + (multilingual?.waiting ?? 0);
    },
    get ready() {
      return Math.min(workers.ready, multilingual?.ready ?? Infinity);
    },
    embed: async (text, kind) => (await enqueue('encode', { text, kind })).vector,
    encodeWithSignals: (text, signal) => enqueue('encode', { text, kind: 'context' }, signal),
    close,
  };
}

function spawn(workerData: WorkerData): Worker {
  return new Worker(new URL('./worker.js', import.meta.url), { workerData });
}
