import './no-telemetry.js';
import { Worker } from 'node:worker_threads';
import { type Activity, newActivity, setActive, unwatch, watch } from '../../platform/threads/at-exit.js';
import {
  EncoderBusyError,
  type Encoder,
  type Encoding,
  type JointEncoder,
  type SecondEncoder,
  type TextKind,
} from './encoder.js';
import { fingerprintOf } from './fingerprint.js';
import { catalogueDims, type EncoderProfile } from './profile.js';
import { type Enqueue, workerJointEncoder, workerSecondEncoder } from './worker-encoders.js';
import type { FromWorker, Results, Task, ToWorker, WorkerData } from './worker.js';

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

/** Delay before a retry after a worker could not start, for lack of memory or the model's files. */
const RESTART_AFTER_MS = 1000;

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

type Result = Results[Task['task']];

interface Job {
  readonly task: Task;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
  /** Number of workers that died during this task. */
  crashes: number;
}

/**
 * Starts an encoder in worker threads, so that the event loop never waits for the model. Each worker runs one task at a
 * time; the others wait in order. A worker that dies is replaced, and its task is retried once.
 *
 * @throws Error if the model cannot be loaded
 */
export async function createEncoder(profile: EncoderProfile, options: PoolOptions): Promise<EncoderPool> {
  const fingerprint = await fingerprintOf(profile);
  const multilingual = profile.multilingual === null ? undefined : await createEncoder(profile.multilingual, options);
  const pool = new Pool(profile, fingerprint, multilingual, options.queueLimit ?? 256, options.spawn ?? spawn);
  await pool.start(options.workers);
  return pool;
}

function spawn(data: WorkerData): Worker {
  return new Worker(new URL('./worker.js', import.meta.url), { workerData: data });
}

class Pool implements EncoderPool {
  readonly dims: number;
  readonly english: boolean;
  readonly joint: JointEncoder | undefined;
  readonly second: SecondEncoder | undefined;
  readonly #queue: Job[] = [];
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Job>();
  readonly #all = new Map<Worker, Activity>();
  #closing = false;
  #drained: (() => void) | undefined;

  constructor(
    readonly profile: EncoderProfile,
    readonly fingerprint: string,
    readonly multilingual: EncoderPool | undefined,
    readonly queueLimit: number,
    readonly spawn: (data: WorkerData) => Worker,
  ) {
    this.dims = catalogueDims(profile);
    this.english = profile.english;
    const enqueue: Enqueue = (task, signal) => this.#enqueue(task, signal);
    this.joint = profile.layout === 'joint' ? workerJointEncoder(enqueue) : undefined;
    this.second = profile.second ? workerSecondEncoder(profile.second.weight, enqueue) : undefined;
  }

  get waiting(): number {
    return this.#queue.length + (this.multilingual?.waiting ?? 0);
  }

  get ready(): number {
    return Math.min(this.#idle.length + this.#busy.size, this.multilingual?.ready ?? Infinity);
  }

  async start(workers: number): Promise<void> {
    try {
      await Promise.all(Array.from({ length: workers }, () => this.#startWorker()));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async embed(text: string, kind: TextKind): Promise<Float32Array> {
    return (await this.#enqueue({ task: 'encode', text, kind })).vector;
  }

  encodeWithSignals(text: string, signal?: AbortSignal): Promise<Encoding> {
    return this.#enqueue({ task: 'encode', text, kind: 'context' }, signal);
  }

  #enqueue<T extends Task>(task: T, signal?: AbortSignal): Promise<Results[T['task']]> {
    if (this.#closing) return Promise.reject(new Error('the encoder is closed'));
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const full = this.#idle.length === 0 && this.#queue.length >= this.queueLimit;
    // Without a worker, a task could wait for an unknown time.
    if (full || this.#all.size === 0) return Promise.reject(new EncoderBusyError());
    return new Promise<Result>((resolve, reject) => {
      const job: Job = { task, resolve, reject, crashes: 0 };
      signal?.addEventListener('abort', () => this.#drop(job, signal.reason as Error), { once: true });
      this.#queue.push(job);
      this.#assign();
    }) as Promise<Results[T['task']]>;
  }

  /** Removes a job that has not started. */
  #drop(job: Job, reason: Error): void {
    const at = this.#queue.indexOf(job);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    job.reject(reason);
    this.#assign();
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#busy.size + this.#queue.length > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    const exits = [...this.#all.keys()].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of this.#all.keys()) worker.postMessage('close' satisfies ToWorker);
    await Promise.all([...exits, this.multilingual?.close()]);
  }

  #assign(): void {
    while (this.#queue.length > 0 && this.#idle.length > 0) {
      const worker = this.#idle.pop()!;
      const job = this.#queue.shift()!;
      this.#busy.set(worker, job);
      setActive(this.#all.get(worker)!);
      worker.postMessage(job.task satisfies ToWorker);
    }
    if (this.#queue.length + this.#busy.size === 0) this.#drained?.();
  }

  /** Starts a worker. Resolves once its model is loaded. */
  #startWorker(): Promise<void> {
    return new Promise((resolve, reject) => {
      const activity = newActivity();
      const worker = this.spawn({ profile: this.profile, activity });
      this.#all.set(worker, activity);
      watch(activity);
      let ready = false;
      let fault = new Error(`the model at ${this.profile.directory} could not be loaded`);
      worker.on('message', (message: FromWorker) => {
        if (message === 'ready') {
          ready = true;
          resolve();
        } else {
          this.#settle(worker, message);
        }
        this.#idle.push(worker);
        this.#assign();
      });
      // An error ends the thread: 'exit' follows and handles it.
      worker.on('error', (error: Error) => (fault = error));
      worker.on('exit', () => {
        this.#all.delete(worker);
        const idle = this.#idle.indexOf(worker);
        if (idle >= 0) this.#idle.splice(idle, 1);
        unwatch(activity);
        if (!ready) reject(fault);
        else if (!this.#closing || this.#busy.has(worker)) this.#replace(worker);
      });
    });
  }

  #settle(worker: Worker, message: Exclude<FromWorker, 'ready'>): void {
    const job = this.#busy.get(worker);
    this.#busy.delete(worker);
    if ('result' in message) job?.resolve(message.result);
    else job?.reject(new Error(message.error));
  }

  #replace(dead: Worker): void {
    const job = this.#busy.get(dead);
    this.#busy.delete(dead);
    if (job !== undefined && ++job.crashes < 2) this.#queue.unshift(job);
    else job?.reject(new Error('the encoder worker died twice on this text'));
    this.#assign();
    void this.#restartWorker();
  }

  async #restartWorker(): Promise<void> {
    try {
      await this.#startWorker();
    } catch (error) {
      this.#fail(error);
      if (!this.#closing) setTimeout(() => this.#closing || void this.#restartWorker(), RESTART_AFTER_MS).unref();
    }
  }

  /** Rejects waiting tasks if no worker is left and none can start, instead of letting them wait forever. */
  #fail(error: unknown): void {
    if (this.#all.size > 0) return;
    for (const job of this.#queue.splice(0)) job.reject(error instanceof Error ? error : new Error(String(error)));
    this.#assign();
  }
}
