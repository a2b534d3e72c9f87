import type { Encoder } from '../models/encoder/encoder.js';
import type { LazyEncoder } from './lazy-encoder.js';
import type { Progress } from './progress.js';
import { embedCreative } from '../models/encoder/embed-creative.js';
import { openEmbeddedLog } from './resume/embedded-log.js';
import { readEmbedded } from './resume/read-embedded.js';

/** A run that embeds this many texts or more stores their vectors as it goes, so that the next run can resume it. */
const RESUMABLE_FROM = 500;

/** A thread loads its model for a second or two; it pays from about this many texts on. */
const TEXTS_PER_THREAD = 16;

/** The index run that vectors are made for. */
export interface EmbeddingRun {
  readonly dataDir: string;
  /** The feed's source. */
  readonly source: string;
  readonly progress: Progress;
}

/**
 * Returns the vectors of all texts: reuses those that are known or that an interrupted run made, and embeds the others.
 *
 * @param stepName what the step is called in the run's output
 * @returns row-major, in memory that the graph's thread can read
 */
export async function makeVectors(
  texts: readonly string[],
  known: ReadonlyMap<string, Float32Array>,
  encoder: LazyEncoder,
  run: EmbeddingRun,
  stepName: string,
): Promise<Float32Array> {
  const { dataDir, progress } = run;
  const missing = [...new Set(texts)].filter((text) => !known.has(text));
  const resumed = await readEmbedded(dataDir, encoder, missing, ({ message }) =>
    progress.warn(`Not resumed: ${message}`),
  );
  const rest = missing.filter((text) => !resumed.has(text));
  if (resumed.size > 0) progress.print(`Resumed: ${count(resumed)} of ${count(missing)} already embedded`);
  const step = progress.startStep(stepName, rest.length);
  const fresh = await embedMissing(rest, encoder, run, step.advance);
  step.end(`${count(rest)} embedded, ${count(known)} reused${resumed.size > 0 ? `, ${count(resumed)} resumed` : ''}`);
  const vectors = new Float32Array(new SharedArrayBuffer(texts.length * encoder.dims * Float32Array.BYTES_PER_ELEMENT));
  for (const [label, text] of texts.entries()) {
    vectors.set((known.get(text) ?? resumed.get(text) ?? fresh.get(text))!, label * encoder.dims);
  }
  return vectors;
}

function count(items: { readonly size: number } | { readonly length: number }): string {
  return ('size' in items ? items.size : items.length).toLocaleString('en');
}

async function embedMissing(
  missing: readonly string[],
  source: LazyEncoder,
  run: EmbeddingRun,
  onDone: (done: number) => void,
): Promise<ReadonlyMap<string, Float32Array>> {
  if (missing.length === 0) return new Map();
  const threads = Math.min(source.workers, Math.ceil(missing.length / TEXTS_PER_THREAD));
  const inFlight = threads * 2;
  const encoder = await source.open(threads);
  try {
    if (missing.length < RESUMABLE_FROM) return await embedTexts(encoder, missing, inFlight, onDone);
    const log = await openEmbeddedLog(run.dataDir, run.source, source, ({ message }) => run.progress.warn(message));
    try {
      return await embedTexts(encoder, missing, inFlight, onDone, (text, vector) => log.add(text, vector));
    } finally {
      await log.close();
    }
  } finally {
    await encoder.close();
  }
}

/**
 * Embeds texts and keeps every worker busy. Takes each text only when the encoder is ready for it, since there may be
 * millions.
 *
 * @param inFlight number of texts that the encoder is given at once
 * @param onDone called with the number of texts done
 * @param store called with each vector; the next text waits for it
 */
export async function embedTexts(
  encoder: Encoder,
  texts: Iterable<string>,
  inFlight: number,
  onDone: (done: number) => void,
  store?: (text: string, vector: Float32Array) => Promise<void>,
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  const rest = eachOf(texts);
  const embedRest = async (): Promise<void> => {
    for (const text of rest) {
      const vector = await embedCreative(encoder, text);
      vectors.set(text, vector);
      onDone(vectors.size);
      await store?.(text, vector);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, embedRest));
  return vectors;
}

/** Returns one iterator for several loops: it ends for all of them when one of them fails. */
function* eachOf<T>(items: Iterable<T>): Generator<T> {
  yield* items;
}
