import { parentPort, workerData } from 'node:worker_threads';
import { buildGraph } from '../models/index/graph.js';
import { updateGraph } from '../models/index/update-graph.js';
import type { SnapshotFile } from '../models/snapshot/layout.js';
import { type Manifest, SnapshotFaultError } from '../models/snapshot/manifest.js';
import { readStoredFile } from '../models/snapshot/stored-file.js';

/** What the thread is to do. */
export interface GraphTask {
  readonly vectors: Float32Array;
  readonly dims: number;
  /** Where the graph goes. */
  readonly file: string;
  /** A graph to continue where it can be; null: it is built anew. */
  readonly earlier: EarlierGraph | null;
}

/** The graph of a kept snapshot. */
export interface EarlierGraph {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly file: SnapshotFile;
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

async function makeGraph({ vectors, dims, file, earlier }: GraphTask): Promise<MadeGraph> {
  const onDone = (done: number): void => tell({ done });
  let fault: string | null = null;
  if (earlier !== null) {
    try {
      const bytes = await readStoredFile(earlier.directory, earlier.manifest, earlier.file);
      const updated = await updateGraph(bytes, vectors, dims, file, onDone);
      if (updated !== null) return { placed: updated.placed, fault };
    } catch (error) {
      // On a full disk or without memory the graph cannot be built anew either, which then says so.
      const { message } = error as Error;
      fault =
        error instanceof SnapshotFaultError ? message : `snapshot ${earlier.manifest.id}: ${earlier.file} ${message}`;
    }
  }
  await buildGraph(vectors, dims, onDone).save(file);
  return { placed: null, fault };
}

tell({ made: await makeGraph(workerData as GraphTask) });
