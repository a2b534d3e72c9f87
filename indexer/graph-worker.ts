import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { buildGraph } from '../models/index/graph.js';
import { updateGraph } from '../models/index/update-graph.js';
import type { IndexFiles, SnapshotFile } from '../models/snapshot/layout.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { SnapshotFaultError } from '../models/snapshot/snapshot-fault.js';
import { readVectors } from '../models/snapshot/read-vectors.js';
import { readStoredFile, verifyStoredFile } from '../models/snapshot/stored-file.js';

/** The thread's task. */
export interface GraphTask {
  readonly vectors: Float32Array;
  readonly dims: number;
  /** The file to save the graph to. */
  readonly file: string;
  /** Whether usearch builds it, on all cores. */
  readonly usesUsearch: boolean;
  /** The graph to continue if possible; null: a new one is built. */
  readonly earlier: EarlierGraph | null;
}

/** The graph of a kept snapshot. */
export interface EarlierGraph {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly files: IndexFiles;
  /** Its vectors in shared memory, if it is a large catalogue's and they are loaded; null: they are read. */
  readonly vectors: Float32Array | null;
}

/** How a graph was built. */
export interface MadeGraph {
  /** Number of vectors added to the earlier graph; null: a new graph was built. */
  readonly placed: number | null;
  /** Why the earlier graph cannot be used; null: it was used, or too much has changed. */
  readonly fault: string | null;
}

/** `done`: number of vectors in the graph so far; `made`: the result. */
export type FromGraphThread = { readonly done: number } | { readonly made: MadeGraph };

const send = (message: FromGraphThread): void => parentPort?.postMessage(message);
const onProgress = (done: number): void => send({ done });

async function makeGraph(task: GraphTask): Promise<MadeGraph> {
  const { earlier } = task;
  let fault: string | null = null;
  if (earlier !== null) {
    try {
      const placed = await (task.usesUsearch ? continueLarge(task, earlier) : continueSmall(task, earlier));
      if (placed !== null) return { placed, fault };
    } catch (error) {
      // If the disk is full or memory is short, building a new graph fails too and reports it.
      const { message } = error as Error;
      const named = `snapshot ${earlier.manifest.id}: ${fileOf(task, earlier)} ${message}`;
      fault = error instanceof SnapshotFaultError ? message : named;
    }
  }
  if (task.usesUsearch) (await usearch()).buildLargeGraph({ ...task, onProgress });
  else await buildGraph(task.vectors, task.dims, onProgress).save(task.file);
  return { placed: null, fault };
}

/** Loads usearch only where it is needed. */
const usearch = () => import('../models/usearch/large-graph.js');

function fileOf({ usesUsearch }: GraphTask, { files }: EarlierGraph): SnapshotFile {
  return usesUsearch ? files.largeGraph : files.graph;
}

/** @returns the number of vectors added; null: too much has changed */
async function continueSmall({ vectors, dims, file }: GraphTask, earlier: EarlierGraph): Promise<number | null> {
  const bytes = await readStoredFile(earlier.directory, earlier.manifest, earlier.files.graph);
  const updated = await updateGraph(bytes, vectors, dims, file, onProgress);
  return updated && updated.placed;
}

async function continueLarge(task: GraphTask, earlier: EarlierGraph): Promise<number | null> {
  const { directory, manifest, files } = earlier;
  await verifyStoredFile(directory, manifest, files.largeGraph);
  const vectors = earlier.vectors ?? (await readVectors(directory, manifest, task.dims, files));
  const before = { file: path.join(directory, files.largeGraph), vectors };
  return (await usearch()).continueLargeGraph(before, { ...task, onProgress });
}

send({ made: await makeGraph(workerData as GraphTask) });
