import { close, open, read } from 'node:fs';
import { promisify } from 'node:util';
import type { VectorRows } from './catalogue-search.js';

/** A file of vectors, row-major: label × dims, little-endian, of which single rows are read. */
export interface StoredRows {
  /** @throws Error when the disk does not give them */
  read(labels: readonly number[]): Promise<VectorRows>;
}

/** Opens it, off the event loop; it stays open for as long as the result is held by anything. */
export async function openStoredRows(file: string, dims: number): Promise<StoredRows> {
  const descriptor = await promisify(open)(file, 'r');
  const rows = new RowsOfFile(descriptor, dims);
  unheld.register(rows, descriptor);
  return rows;
}

// A snapshot is let go without a word, by whichever request was the last to hold it; its directory may be gone before.
const unheld = new FinalizationRegistry<number>((descriptor) => close(descriptor, () => undefined));

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

  /** Of this object, so that it is held, and the file open, until all rows are there. */
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
