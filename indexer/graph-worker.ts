import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { buildGraph } from '../models/index/graph.js';
import { updateGraph } from '../models/index/update-graph.js';
import type { IndexFiles, SnapshotFile } from '../models/snapshot/layout.js';
import type { Manifest } from '../models/snapshot/manifest.js';
import { SnapshotFaultError } from '../models/snapshot/snapshot-fault.js';
import { readVectors } from '../models/snapshot/read-vectors.js';
import { readStoredFile, verifyStoredFile } from '../models/snapshot/stored-file.js';

/** What the thread is to do. */
export interface GraphTask {
  readonly vectors: Float32Array;
  readonly dims: number;
  /** Where the graph goes. */
  readonly file: string;
  /** Whether it is to be usearch's, with all cores. */
  readonly isLarge: boolean;
  /** A graph to continue where it can be; null: it is built anew. */
  readonly earlier: EarlierGraph | null;
}

/** The graph of a kept snapshot. */
export interface EarlierGraph {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly files: IndexFiles;
  /** Its vectors, of a large catalogue and over shared memory, where they are at hand; null: they are read. */
  readonly vectors: Float32Array | null;
}

/** How a graph was made. */
export interface MadeGraph {
  /** Vectors placed in the earlier graph; null: it was built anew. */
  readonly placed: number | null;
  /** Why the earlier graph is of no use; null: it is, or only too much has changed. */
  readonly fault: string | null;
}

/** `done`: vectors that are in the graph so far; `made`: the end. */
export type FromGraphThread = { readonly done: number } | { readonly made: MadeGraph };

const tell = (message: FromGraphThread): void => parentPort?.postMessage(message);
const onProgress = (done: number): void => tell({ done });

async function makeGraph(task: GraphTask): Promise<MadeGraph> {
  const { earlier } = task;
  let fault: string | null = null;
  if (earlier !== null) {
    try {
      const placed = await (task.isLarge ? continueLarge(task, earlier) : continueSmall(task, earlier));
      if (placed !== null) return { placed, fault };
    } catch (error) {
      // On a full disk or without memory the graph cannot be built anew either, which then says so.
      const { message } = error as Error;
      const named = `snapshot ${earlier.manifest.id}: ${fileOf(task, earlier)} ${message}`;
      fault = error instanceof SnapshotFaultError ? message : named;
    }
  }
  if (task.isLarge) (await usearch()).buildLargeGraph({ ...task, onProgress });
  else await buildGraph(task.vectors, task.dims, onProgress).save(task.file);
  return { placed: null, fault };
}

/** Loaded where it is needed alone. */
const usearch = () => import('../models/usearch/large-graph.js');

function fileOf({ isLarge }: GraphTask, { files }: EarlierGraph): SnapshotFile {
  return isLarge ? files.largeGraph : files.graph;
}

/** @returns how many vectors were placed; null: too much has changed */
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

tell({ made: await makeGraph(workerData as GraphTask) });
