import { close, open, read } from 'node:fs';
import { promisify } from 'node:util';
import type { VectorRows } from './catalogue-search.js';

/** A file of vectors (row-major: label × dims, little-endian) that reads single rows. */
export interface StoredRows {
  /** Reads the rows of these labels. @throws Error if the file cannot be read or has no such row */
  read(labels: readonly number[]): Promise<VectorRows>;
}

/** Opens the file off the event loop. It stays open until the result is garbage-collected. */
export async function openStoredRows(file: string, dims: number): Promise<StoredRows> {
  const descriptor = await promisify(open)(file, 'r');
  const rows = new RowsOfFile(descriptor, dims);
  closeOnCollection.register(rows, descriptor);
  return rows;
}

// Nothing closes a snapshot explicitly: the last request that references it just ends. Its directory may be gone by
// then.
const closeOnCollection = new FinalizationRegistry<number>((descriptor) => close(descriptor, () => undefined));

class RowsOfFile implements StoredRows {
  readonly #descriptor: number;
  readonly #dims: number;

  constructor(descriptor: number, dims: number) {
    this.#descriptor = descriptor;
    this.#dims = dims;
  }

  async read(labels: readonly number[]): Promise<VectorRows> {
    const vectors = new Float32Array(labels.length * this.#dims);
    const bytes = new Uint8Array(vectors.buffer);
    await Promise.all(labels.map((label, at) => this.#readRow(bytes, at, label)));
    return this.#placed(labels, vectors);
  }

  /** Must be a method: the reference to `this` keeps the file open until all rows have been read. */
  #placed(labels: readonly number[], vectors: Float32Array): VectorRows {
    const dims = this.#dims;
    const places = new Map(labels.map((label, at) => [label, at * dims]));
    return { dims, vectors, from: (label) => places.get(label)! };
  }

  #readRow(into: Uint8Array, at: number, label: number): Promise<void> {
    const length = this.#dims * Float32Array.BYTES_PER_ELEMENT;
    return new Promise((resolve, reject) => {
      read(this.#descriptor, into, at * length, length, label * length, (error, bytesRead) => {
        if (error !== null) reject(error);
        else if (bytesRead < length) reject(new Error(`the file of vectors has no row ${label}`));
        else resolve();
      });
    });
  }
}
