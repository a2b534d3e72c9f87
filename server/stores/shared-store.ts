import type { Transaction } from '../../platform/cluster/transaction.js';

/** Checks a store's content: returns the value or throws, saying what is wrong. */
export type Parse<T> = (value: unknown) => T;

/** Called with the content before and after, where they differ, and awaited before it is written. */
export type BeforeWrite<T> = (before: T, after: T, within: Transaction | null) => Promise<void>;

/** A small JSON document that several processes change: commands, the server, and an editor or other nodes. */
export interface SharedStore<T> {
  /** The file of DATA_DIR that is read. */
  readonly path: string;

  /** @throws DamagedStoreError when the file is not what it should be */
  read(): Promise<T>;

  /**
   * Applies `change` to the content as it is now, and writes it where that made a difference; what `change` returns is
   * handed back.
   *
   * @param beforeWrite given the transaction that writes, where it is one: what it does by it holds with the change
   * @throws DamagedStoreError, and whatever `change` or `beforeWrite` throw; the content is then as it was
   */
  change<R>(change: (data: T) => R, beforeWrite?: BeforeWrite<T>): Promise<R>;
}

/** What a store's file, or the database in its place, holds is not of the agreed shape; the message names it and the fault. */
export class DamagedStoreError extends Error {
  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(`${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'DamagedStoreError';
  }
}
