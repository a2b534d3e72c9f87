import type { Transaction } from '../../platform/cluster/transaction.js';

/** Checks a store's content: returns it, normalised, or throws an error that describes the fault. */
export type Parse<T> = (value: unknown) => T;

/** Called and awaited before a change is written, with the content before and after it. */
export type BeforeWrite<T> = (before: T, after: T, within: Transaction | null) => Promise<void>;

/** A small JSON document that several processes change: commands, the server, and an editor or other nodes. */
export interface SharedStore<T> {
  /** The file in DATA_DIR that has the content. */
  readonly path: string;

  /** Returns a text that differs whenever the content may have changed; ABSENT: there is no file. */
  stamp(): Promise<string>;

  /** @throws DamagedStoreError when the content is not valid */
  read(): Promise<T>;

  /**
   * Applies `change` to the current content, writes the result if it differs, and returns the result of `change`.
   *
   * @param beforeWrite receives the transaction of the write, if there is one; what it does there is committed with the
   *   change
   * @throws DamagedStoreError, and whatever `change` or `beforeWrite` throw; the content is unchanged then
   */
  change<R>(change: (data: T) => R, beforeWrite?: BeforeWrite<T>): Promise<R>;
}

/**
 * The content of a store's file, or of its document in the database, is not valid; the message names it and the fault.
 */
export class DamagedStoreError extends Error {
  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(`${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'DamagedStoreError';
  }
}
