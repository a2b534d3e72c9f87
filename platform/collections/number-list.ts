const BITS = 14;
const CHUNK = 1 << BITS;

/**
 * A list of integers from 0 to 2³² - 1 that grows in chunks. An array of millions takes twice the memory, and copies all
 * of its elements whenever it grows.
 */
export class NumberList {
  readonly #chunks: Uint32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const at = this.#length++;
    if (at % CHUNK === 0) this.#chunks.push(new Uint32Array(CHUNK));
    this.set(at, value);
  }

  /** @param at below `length` */
  get(at: number): number {
    return this.#chunks[at >>> BITS]![at % CHUNK]!;
  }

  /** @param at below `length` */
  set(at: number, value: number): void {
    this.#chunks[at >>> BITS]![at % CHUNK] = value;
  }

  *values(): Iterable<number> {
    for (let at = 0; at < this.#length; at++) yield this.get(at);
  }
}
