import type { Transferable, Worker } from 'node:worker_threads';

/** A thread's tasks by name, each a function of one input. Inputs and results are cloned between the threads. */
export type Tasks<T> = { readonly [Name in keyof T]: (input: never) => unknown };

export type InputOf<T extends Tasks<T>, Name extends keyof T> = Parameters<T[Name]>[0];
export type ResultOf<T extends Tasks<T>, Name extends keyof T> = Awaited<ReturnType<T[Name]>>;

/** A message to a thread: a numbered request, or that it should end. */
export type ToThread = { readonly number: number; readonly task: PropertyKey; readonly input: unknown } | 'close';
/** A thread's answer to the request of that number. */
export type Answer = { readonly number: number } & ({ readonly result: unknown } | { readonly failure: unknown });

/** The number of the message that a thread sends by itself once it has opened what it works on. */
export const OPENING = 0;

export interface RequestsOptions<Failure> {
  /** The message of the error that requests fail with if the thread ends without an error of its own. */
  readonly ended: string;
  /** Makes an error of what the thread sends when a task has failed. Default: an Error with it as message. */
  readonly errorOf?: (failure: Failure) => Error;
}

export interface AskOptions {
  /** Memory that is moved to the thread instead of copied. */
  readonly transfer?: readonly Transferable[];
  /** Once it is aborted, the request fails with its reason, and the answer is ignored. */
  readonly signal?: AbortSignal;
}

interface PendingAnswer {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Requests to one thread, which answers them in any order by `answerRequests`. When the thread ends, all that are
 * pending fail. Whether and when another thread replaces it is for the caller to decide.
 *
 * @example
 *   const thread = new ThreadRequests<SearchTasks>(new Worker(file), { ended: 'the search thread ended' });
 *   const near = await thread.ask('search', { query, k: 10 });
 */
export class ThreadRequests<T extends Tasks<T>, Opened = void, Failure = string> {
  /** Resolves when the thread has ended, after its pending requests have failed. */
  readonly ended: Promise<void>;
  readonly #errorOf: (failure: Failure) => Error;
  readonly #pending = new Map<number, PendingAnswer>();
  #hasEnded = false;
  #cause: Error;
  #lastNumber = OPENING;

  constructor(
    readonly worker: Worker,
    { ended, errorOf = (failure) => new Error(String(failure)) }: RequestsOptions<Failure>,
  ) {
    this.#errorOf = errorOf;
    this.#cause = new Error(ended);
    worker.on('message', (answer: Answer) => this.#settle(answer));
    worker.on('error', (error: Error) => (this.#cause = error));
    this.ended = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#fail();
        resolve();
      });
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Number of requests without an answer, including the thread's opening. */
  get pending(): number {
    return this.#pending.size;
  }

  /**
   * Resolves with what the thread sends by `answerOpening`. Call it right after construction.
   *
   * @throws the thread's failure, or the error that ended it
   */
  opened(): Promise<Opened> {
    return new Promise((resolve, reject) => {
      this.#pending.set(OPENING, { resolve, reject });
    });
  }

  /**
   * Runs a task in the thread.
   *
   * @throws the task's failure, the error that ended the thread, or the signal's reason
   */
  ask<Name extends keyof T>(
    task: Name,
    input: InputOf<T, Name>,
    { transfer, signal }: AskOptions = {},
  ): Promise<ResultOf<T, Name>> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    if (this.#hasEnded) return Promise.reject(this.#cause);
    const number = ++this.#lastNumber;
    const answer = new Promise<ResultOf<T, Name>>((resolve, reject) => {
      this.worker.postMessage({ number, task, input } satisfies ToThread, transfer);
      this.#pending.set(number, { resolve, reject });
    });
    if (signal === undefined) return answer;
    const abandon = (): void => this.#take(number)?.reject(signal.reason as Error);
    signal.addEventListener('abort', abandon, { once: true });
    return answer.finally(() => signal.removeEventListener('abort', abandon));
  }

  /** Ends the thread after it has answered all requests. `worker.terminate` ends it at once. */
  async close(): Promise<void> {
    this.worker.postMessage('close' satisfies ToThread);
    await this.ended;
  }

  #take(number: number): PendingAnswer | undefined {
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    return pending;
  }

  #settle(answer: Answer): void {
    const pending = this.#take(answer.number);
    if ('result' in answer) pending?.resolve(answer.result);
    else pending?.reject(this.#errorOf(answer.failure as Failure));
  }

  #fail(): void {
    this.#hasEnded = true;
    for (const number of this.#pending.keys()) this.#take(number)?.reject(this.#cause);
  }
}
