import { parentPort, workerData } from 'node:worker_threads';
import { answerExactly } from './recall.js';

const { vectors, dims } = workerData as { readonly vectors: Float32Array; readonly dims: number };
parentPort?.postMessage(answerExactly(vectors, dims));
