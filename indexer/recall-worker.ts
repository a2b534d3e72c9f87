import { parentPort, workerData } from 'node:worker_threads';
import { LARGE_FROM } from '../models/snapshot/layout.js';
import { answerExactly, answerOf, type ExactAnswer, NEIGHBOURS, sampleQueries } from './exact-answers.js';

const { vectors, dims } = workerData as { readonly vectors: Float32Array; readonly dims: number };

/** The same answers by usearch, which a large catalogue needs anyway: with all cores, in a fraction of the time. */
async function answerQuickly(): Promise<ExactAnswer[]> {
  const { bestSimilarities } = await import('../models/usearch/best-similarities.js');
  return bestSimilarities(vectors, dims, sampleQueries(vectors, dims), NEIGHBOURS).map(answerOf);
}

const isLarge = vectors.length / dims >= LARGE_FROM;
parentPort?.postMessage(isLarge ? await answerQuickly() : answerExactly(vectors, dims));
