import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { answerOpening, answerRequests } from '../../../platform/threads/answer.js';

export interface TestTasks {
  double(of: number): number;
  /** Moves a buffer here and back. */
  fill(task: { readonly bytes: Uint8Array<ArrayBuffer>; readonly value: number }): Uint8Array<ArrayBuffer>;
  /** Returns how many bytes of the last filled buffer are still here. */
  bytesKept(input: null): number;
  wait(milliseconds: number): Promise<number>;
  fail(task: { readonly reason: string; readonly fatal: boolean }): never;
  throwLater(reason: string): Promise<never>;
  exit(code: number): never;
  /** Returns something that cannot be cloned. */
  giveFunction(input: null): () => void;
}

export interface TestFailure {
  readonly reason: string;
}

class FatalError extends Error {}

/** `refused`: why this thread cannot open; null: it opens. `closed`: set to 1 when the thread is asked to close. */
export interface TestData {
  readonly refused: string | null;
  readonly closed: Int32Array<SharedArrayBuffer>;
}

const { refused, closed } = workerData as TestData;
const port = parentPort!;
let filled = new Uint8Array(0);
if (refused === null) {
  answerRequests<TestTasks, TestFailure>(
    port,
    {
      double: (of) => 2 * of,
      fill: ({ bytes, value }) => (filled = bytes).fill(value),
      bytesKept: () => filled.byteLength,
      wait: (milliseconds) => pause(milliseconds, milliseconds),
      fail({ reason, fatal }) {
        throw fatal ? new FatalError(reason) : new Error(reason);
      },
      throwLater(reason) {
        setTimeout(() => {
          throw new RangeError(reason);
        });
        return new Promise(() => {});
      },
      exit: (code) => process.exit(code),
      giveFunction: () => () => {},
    },
    {
      failureOf: (error) => ({ reason: (error as Error).message }),
      isFatal: (error) => error instanceof FatalError,
      transfer: (result) => (result instanceof Uint8Array ? [result.buffer] : []),
      close: () => Atomics.store(closed, 0, 1),
    },
  );
  answerOpening(port, { result: { is: 'open' } });
} else {
  answerOpening(port, { failure: { reason: refused } });
  port.close();
}
