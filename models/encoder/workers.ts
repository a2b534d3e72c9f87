import type { Worker } from 'node:worker_threads';
import { type Activity, newActivity, setActive, unwatch, watch } from '../../platform/threads/at-exit.js';
import { type InputOf, type ResultOf, ThreadRequests } from '../../platform/threads/requests.js';
import { EncoderBusyError } from './encoder.js';
import type { EncoderProfile } from './profile.js';
import type { EncoderTasks, WorkerData } from './worker.js';

/** Queues a task for a worker. @throws EncoderBusyError, or the signal's reason */
export type Enqueue = <Name extends keyof EncoderTasks>(
  task: Name,
  input: InputOf<EncoderTasks, Name>,
  signal?: AbortSignal,
) => Promise<ResultOf<EncoderTasks, Name>>;

type Thread = ThreadRequests<EncoderTasks>;

interface Job {
  /** Runs the task in a thread, and resolves with its result. */
  readonly run: (thread: Thread) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Number of workers that died during this task. */
  crashes: number;
}

/** Delay before a retry after a worker could not start, for lack of memory or the model's files. */
const RESTART_AFTER_MS = 1000;

/**
 * Threads that each hold a model and run one task at a time; further tasks wait in order. A worker that dies is
 * replaced, and its task is retried once.
 */
export class EncoderWorkers {
  readonly #profile: EncoderProfile;
  readonly #queueLimit: number;
  readonly #spawn: (data: WorkerData) => Worker;
  readonly #queue: Job[] = [];
  readonly #idle: Thread[] = [];
  readonly #all = new Map<Thread, Activity>();
  #busy = 0;
  #closing = false;
  #drained: (() => void) | undefined;

  constructor(profile: EncoderProfile, queueLimit: number, spawn: (data: WorkerData) => Worker) {
    this.#profile = profile;
    this.#queueLimit = queueLimit;
    this.#spawn = spawn;
  }

  /** Number of tasks that wait for a worker. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Number of workers that have loaded the model. */
  get ready(): number {
    return this.#idle.length + this.#busy;
  }

  /** Starts so many workers. @throws Error if one cannot load the model */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#startWorker()));
  }

  readonly enqueue: Enqueue = (task, input, signal) => {
    if (this.#closing) return Promise.reject(new Error('the encoder is closed'));
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const full = this.#idle.length === 0 && this.#queue.length >= this.#queueLimit;
    // Without a worker, a task could wait for an unknown time.
    if (full || this.#all.size === 0) return Promise.reject(new EncoderBusyError());
    return new Promise((resolve, reject) => {
      const run = (thread: Thread) => thread.ask(task, input);
      const job: Job = { run, resolve: resolve as Job['resolve'], reject, crashes: 0 };
      signal?.addEventListener('abort', () => this.#drop(job, signal.reason as Error), { once: true });
      this.#queue.push(job);
      this.#assign();
    });
  };

  /** Waits for running and queued tasks, then ends the workers. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#hasWork()) await new Promise<void>((resolve) => (this.#drained = resolve));
    await Promise.all([...this.#all.keys()].map((thread) => thread.close()));
  }

  #hasWork(): boolean {
    return this.#queue.length + this.#busy > 0;
  }

  /** Removes a job that has not started. */
  #drop(job: Job, reason: Error): void {
    const at = this.#queue.indexOf(job);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    job.reject(reason);
    this.#assign();
  }

  #assign(): void {
    while (this.#queue.length > 0 && this.#idle.length > 0) void this.#run(this.#idle.pop()!, this.#queue.shift()!);
    if (!this.#hasWork()) this.#drained?.();
  }

  async #run(thread: Thread, job: Job): Promise<void> {
    this.#busy++;
    setActive(this.#all.get(thread)!);
    try {
      job.resolve(await job.run(thread));
    } catch (error) {
      if (!thread.hasEnded) job.reject(error as Error);
      else if (job.crashes++ === 0) this.#queue.unshift(job);
      else job.reject(new Error('the encoder worker died twice on this text'));
    }
    this.#busy--;
    if (!thread.hasEnded) this.#idle.push(thread);
    this.#assign();
  }

  /** Starts a worker. Resolves once its model is loaded. */
  async #startWorker(): Promise<void> {
    const activity = newActivity();
    const thread: Thread = new ThreadRequests(this.#spawn({ profile: this.#profile, activity }), {
      ended: `the model at ${this.#profile.directory} could not be loaded`,
    });
    this.#all.set(thread, activity);
    watch(activity);
    thread.worker.on('exit', () => {
      this.#all.delete(thread);
      const idle = this.#idle.indexOf(thread);
      if (idle >= 0) this.#idle.splice(idle, 1);
      unwatch(activity);
    });
    await thread.opened();
    void this.#replaceWhenEnded(thread);
    if (!thread.hasEnded) this.#idle.push(thread);
    this.#assign();
  }

  async #replaceWhenEnded(thread: Thread): Promise<void> {
    await thread.ended;
    if (!this.#closing || this.#hasWork()) await this.#restartWorker();
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
