import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { toBytes } from './bytes.js';
import { firstLabels } from './labels.js';
import { NativeIndex } from './native-index.js';

/*
 * The HNSW graph (Malkov and Yashunin, arXiv:1603.09320) by usearch, which builds it with all cores, keeps vectors of 8 bits in it
 * and maps its file into memory instead of reading it. Its keys are labels.
 */

/** Links per node above the ground level (there twice as many), width of the search while building and while answering. */
const GRAPH = { links: 16, buildWidth: 128, searchWidth: 256 } as const;
/** Vectors placed by one call: a tenth of a second to half a second. */
const STEP = 1000;
/**
 * Where more than this share of the vectors is new or gone, or of a graph's places is empty, it is built anew. Never above a quarter: for
 * a file with more empty places than that usearch's binding reserves too little.
 */
const MOST_CHANGED = 0.2;

/** What making a graph takes: row-major vectors (label × dims), and where its file goes. */
export interface LargeGraphTask {
  readonly vectors: Float32Array;
  readonly dims: number;
  readonly file: string;
  /** Called now and then with the number of vectors that are in it. */
  readonly onProgress?: (done: number) => void;
}

/** A graph of before: its file, and the vectors of its labels. */
export interface EarlierLargeGraph {
  readonly file: string;
  readonly vectors: Float32Array;
}

/** Builds a graph with all cores, and saves it. Takes the calling thread. Its bytes differ from run to run. */
export function buildLargeGraph(task: LargeGraphTask): void {
  const index = emptyIndex(task.dims);
  place(index, task, firstLabels(task.vectors.length / task.dims), 0);
  index.save(task.file);
}

/**
 * Makes of a saved graph one over other vectors: a label whose vector is another now is taken out and placed anew. Takes the
 * calling thread.
 *
 * @returns how many were placed; null, and nothing written, where too much has changed
 * @throws Error when the file is not a graph of these dims
 */
export function continueLargeGraph(earlier: EarlierLargeGraph, task: LargeGraphTask): number | null {
  const { vectors, dims } = task;
  const size = vectors.length / dims;
  const before = earlier.vectors.length / dims;
  const changed = changedLabels(earlier.vectors, vectors, dims);
  const gone = Math.max(0, before - size);
  const empty = checkForm(earlier.file, dims) - before + gone;
  if (Math.max(changed.length, gone, empty) > MOST_CHANGED * size) return null;
  const index = emptyIndex(dims);
  index.load(earlier.file);
  if (index.size() !== before) throw new Error(`holds ${index.size()} vectors, not ${before}`);
  const leaving = [...changed.filter((label) => label < before), ...Array.from({ length: gone }, (_, at) => size + at)];
  index.remove(BigUint64Array.from(leaving, BigInt));
  place(index, task, changed, size - changed.length);
  index.save(task.file);
  return changed.length;
}

/** What stands before usearch's own header: vectors of 8 bits, behind their number and their length. */
const SHAPE_BYTES = 8;
const HEADER = { mark: Buffer.from('usearch'), bytes: 64 } as const;

/**
 * Looks whether a file has the form of a saved graph (usearch 2): over anything else usearch itself may end the process.
 *
 * @returns how many vectors it has room for, those included that were taken out
 * @throws Error when it is not a graph of these dims
 */
function checkForm(file: string, dims: number): number {
  const descriptor = openSync(file, 'r');
  try {
    const at = (position: number, length: number): Buffer => {
      const bytes = Buffer.alloc(length);
      readSync(descriptor, bytes, 0, length, position);
      return bytes;
    };
    const shape = at(0, SHAPE_BYTES);
    const [places, length] = [shape.readUInt32LE(0), shape.readUInt32LE(4)];
    const header = SHAPE_BYTES + places * length;
    const isGraph =
      fstatSync(descriptor).size >= header + HEADER.bytes && at(header, HEADER.mark.length).equals(HEADER.mark);
    if (!isGraph) throw new Error('is not a saved graph');
    if (length !== dims) throw new Error(`has vectors of ${length} dimensions, not ${dims}`);
    return places;
  } finally {
    closeSync(descriptor);
  }
}

/** Labels whose vectors are not what they were, bit by bit, or that are new. */
function changedLabels(before: Float32Array, after: Float32Array, dims: number): Uint32Array {
  const bits = (vectors: Float32Array): Uint32Array =>
    new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);
  const [old, now] = [bits(before), bits(after)];
  const size = after.length / dims;
  const isAsBefore = (label: number): boolean => {
    const end = (label + 1) * dims;
    if (end > old.length) return false;
    for (let at = label * dims; at < end; at++) if (old[at] !== now[at]) return false;
    return true;
  };
  return firstLabels(size).filter((label) => !isAsBefore(label));
}

/** A saved graph, mapped into memory: what is searched of it stays there as long as there is room. @throws Error when it is none of these dims */
export function mapLargeGraph(file: string, dims: number): LargeGraph {
  checkForm(file, dims);
  const index = emptyIndex(dims);
  index.view(file);
  return {
    size: index.size(),
    nearest(query, k) {
      const [keys, , [count = 0n]] = index.search(toBytes(query, dims), k, 1);
      return Array.from(keys.subarray(0, Number(count)), Number);
    },
  };
}

/** Labels, about the nearest first: vectors of 8 bits tell close ones apart only so far. */
export interface LargeGraph {
  readonly size: number;
  /** At most k. */
  nearest(query: Float32Array, k: number): number[];
}

function emptyIndex(dims: number): NativeIndex {
  return new NativeIndex(dims, 'ip', 'i8', GRAPH.links, GRAPH.buildWidth, GRAPH.searchWidth, false);
}

function place(index: NativeIndex, task: LargeGraphTask, labels: Uint32Array, there: number): void {
  const { vectors, dims, onProgress } = task;
  for (let from = 0; from < labels.length; from += STEP) {
    const some = labels.subarray(from, from + STEP);
    const rows = new Float32Array(some.length * dims);
    for (const [at, label] of some.entries()) rows.set(vectors.subarray(label * dims, (label + 1) * dims), at * dims);
    const bytes = toBytes(rows, dims);
    index.add(BigUint64Array.from(some, BigInt), bytes, availableParallelism());
    onProgress?.(there + from + some.length);
  }
}
