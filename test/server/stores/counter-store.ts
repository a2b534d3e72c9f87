import { FileStore } from '../../../server/stores/file-store.js';

/** A counter with a note: the smallest content that concurrent writers can corrupt for each other. */
export interface Counter {
  count: number;
  note?: string;
}

/** @returns a store that refuses content unless `count` is a whole number */
export function counterStore(file: string, staleMs?: number): FileStore<Counter> {
  return new FileStore<Counter>(file, { count: 0 }, parse, staleMs);
}

function parse(value: unknown): Counter {
  const counter = value as Counter;
  if (!Number.isInteger(counter.count)) throw new Error('count must be a whole number');
  return counter;
}
