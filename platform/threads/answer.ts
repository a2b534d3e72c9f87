import type { MessagePort, Transferable } from 'node:worker_threads';
import { type Answer, OPENING, type ResultOf, type Tasks, type ToThread } from './requests.js';

export interface AnswerOptions<T extends Tasks<T>, Failure> {
  /** Describes a task's error to the asking thread, which makes an error of it again. Default: its message. */
  readonly failureOf?: (error: unknown) => Failure;
  /** Whether a task's error also ends this thread, after the answer. Default: never. */
  readonly isFatal?: (error: unknown) => boolean;
  /** Returns the memory of a result that is moved instead of copied. */
  readonly transfer?: (result: ResultOf<T, keyof T>) => readonly Transferable[];
  /** Called once all requests are answered and this thread stops listening, and so ends. */
  readonly close?: () => void;
}

/**
 * Answers the requests of `ThreadRequests` until that closes.
 *
 * @param port the thread's `parentPort`
 */
export function answerRequests<T extends Tasks<T>, Failure = string>(
  port: MessagePort,
  tasks: T,
  options: AnswerOptions<T, Failure> = {},
): void {
  const { failureOf = messageOf, isFatal = () => false, transfer, close } = options;
  let running = 0;
  let isClosing = false;
  const endWhenDone = (): void => {
    if (!isClosing || running > 0) return;
    close?.();
    port.close();
  };
  const answer = async ({ number, task, input }: Exclude<ToThread, 'close'>): Promise<void> => {
    running++;
    try {
      const result = (await tasks[task as keyof T](input as never)) as ResultOf<T, keyof T>;
      port.postMessage({ number, result } satisfies Answer, transfer?.(result));
    } catch (error) {
      port.postMessage({ number, failure: failureOf(error) } satisfies Answer);
      if (isFatal(error)) throw error;
    } finally {
      running--;
      endWhenDone();
    }
  };
  port.on('message', (message: ToThread) => {
    if (message !== 'close') return void answer(message);
    isClosing = true;
    endWhenDone();
  });
}

/** Tells `opened` of the asking thread that this thread is ready, or why it will not be. */
export function answerOpening(
  port: MessagePort,
  answer: { readonly result: unknown } | { readonly failure: unknown },
): void {
  port.postMessage({ number: OPENING, ...answer } satisfies Answer);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
