import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { quantiseTo8Bits } from './bytes.js';
import { labelsUpTo } from './labels.js';
import { NativeIndex } from './native-index.js';

/*
 * HNSW graph (Malkov and Yashunin, arXiv:1603.09320) by usearch, which builds it on all cores, stores 8-bit vectors in
 * it, and maps its file into memory instead of reading it. Its keys are labels.
 */

/** Links per node above the ground level (which has twice as many); search width while building and while serving. */
const GRAPH = { links: 32, buildWidth: 128, searchWidth: 256 } as const;
/** Vectors added per call, which takes a tenth to half a second. */
const STEP = 1000;
/**
 * If more than this share of the vectors is new or gone, or of the graph's slots is empty, the graph is rebuilt. Must
 * not exceed a quarter: usearch's binding reserves too little memory for a file with more empty slots than that.
 */
const MAX_CHANGED = 0.2;

/** Input for building a graph: row-major vectors (label × dims), and the path of the file to write. */
export interface LargeGraphTask {
  readonly vectors: Float32Array;
  readonly dims: number;
  readonly file: string;
  /** Called periodically with the number of vectors in the graph. */
  readonly onProgress?: (done: number) => void;
}

/** An earlier graph: its file, and its vectors by label. */
export interface EarlierLargeGraph {
  readonly file: string;
  readonly vectors: Float32Array;
}

/** Builds a graph on all cores and saves it. Blocks the calling thread. The bytes differ from run to run. */
export function buildLargeGraph(task: LargeGraphTask): void {
  const index = emptyIndex(task.dims);
  add(index, task, labelsUpTo(task.vectors.length / task.dims), 0);
  index.save(task.file);
}

/**
 * Turns a saved graph into one over other vectors: removes labels whose vectors changed and adds them again. Blocks the
 * calling thread.
 *
 * @returns the number of vectors added; null, without writing anything, if too much has changed
 * @throws Error if the file is not a graph of these dims
 */
export function continueLargeGraph(earlier: EarlierLargeGraph, task: LargeGraphTask): number | null {
  const { vectors, dims } = task;
  const size = vectors.length / dims;
  const before = earlier.vectors.length / dims;
  const changed = changedLabels(earlier.vectors, vectors, dims);
  const gone = Math.max(0, before - size);
  const empty = checkForm(earlier.file, dims) - before + gone;
  if (Math.max(changed.length, gone, empty) > MAX_CHANGED * size) return null;
  const index = emptyIndex(dims);
  index.load(earlier.file);
  if (index.size() !== before) throw new Error(`holds ${index.size()} vectors, not ${before}`);
  const leaving = [...changed.filter((label) => label < before), ...Array.from({ length: gone }, (_, at) => size + at)];
  index.remove(BigUint64Array.from(leaving, BigInt));
  add(index, task, changed, size - changed.length);
  index.save(task.file);
  return changed.length;
}

/** usearch's own header follows the 8-bit vectors, which follow their count and length (these bytes). */
const SHAPE_BYTES = 8;
const HEADER = { mark: Buffer.from('usearch'), bytes: 64 } as const;

/**
 * Checks that a file has the structure of a saved graph (usearch 2). On any other file usearch may crash the process.
 *
 * @returns the number of slots, including those of removed vectors
 * @throws Error if it is not a graph of these dims
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
    const [slots, length] = [shape.readUInt32LE(0), shape.readUInt32LE(4)];
    const header = SHAPE_BYTES + slots * length;
    const isGraph =
      fstatSync(descriptor).size >= header + HEADER.bytes && at(header, HEADER.mark.length).equals(HEADER.mark);
    if (!isGraph) throw new Error('is not a saved graph');
    if (length !== dims) throw new Error(`has vectors of ${length} dimensions, not ${dims}`);
    return slots;
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the labels that are new or whose vectors are not bitwise the same as before. */
function changedLabels(before: Float32Array, after: Float32Array, dims: number): Uint32Array {
  const bits = (vectors: Float32Array): Uint32Array =>
    new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);
  const [old, now] = [bits(before), bits(after)];
  const size = after.length / dims;
  const isUnchanged = (label: number): boolean => {
    const end = (label + 1) * dims;
    if (end > old.length) return false;
    for (let at = label * dims; at < end; at++) if (old[at] !== now[at]) return false;
    return true;
  };
  return labelsUpTo(size).filter((label) => !isUnchanged(label));
}

/**
 * Maps a saved graph into memory. The operating system keeps the pages that searches use while memory allows.
 *
 * @throws Error if the file is not a graph of these dims
 */
export function mapLargeGraph(file: string, dims: number): LargeGraph {
  checkForm(file, dims);
  const index = emptyIndex(dims);
  index.view(file);
  return {
    size: index.size(),
    nearest(query, k) {
      const [keys, , [count = 0n]] = index.search(quantiseTo8Bits(query, dims), k, 1);
      return Array.from(keys.subarray(0, Number(count)), Number);
    },
  };
}

/** A mapped graph, which returns labels only. */
export interface LargeGraph {
  readonly size: number;
  /** Returns at most k labels, approximately nearest first: 8-bit vectors do not fully order close neighbours. */
  nearest(query: Float32Array, k: number): number[];
}

function emptyIndex(dims: number): NativeIndex {
  return new NativeIndex(dims, 'ip', 'i8', GRAPH.links, GRAPH.buildWidth, GRAPH.searchWidth, false);
}

/** @param present number of vectors already in the index, for progress */
function add(index: NativeIndex, task: LargeGraphTask, labels: Uint32Array, present: number): void {
  const { vectors, dims, onProgress } = task;
  for (let from = 0; from < labels.length; from += STEP) {
    const some = labels.subarray(from, from + STEP);
    const rows = new Float32Array(some.length * dims);
    for (const [at, label] of some.entries()) rows.set(vectors.subarray(label * dims, (label + 1) * dims), at * dims);
    const bytes = quantiseTo8Bits(rows, dims);
    index.add(BigUint64Array.from(some, BigInt), bytes, availableParallelism());
    onProgress?.(present + from + some.length);
  }
}
