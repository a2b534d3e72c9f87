import { parentPort, workerData } from 'node:worker_threads';
import type { TextKind } from './encoder.js';
import type { EncoderProfile } from './profile.js';
import { loadTransformer } from './transformer.js';

/** What the pool sends: one text at a time, or the word to end. */
export type ToWorker = { readonly text: string; readonly kind: TextKind } | 'close';
/** What a worker sends: that it is ready, then a vector or an error for each text. */
export type FromWorker = 'ready' | { readonly vector: Float32Array } | { readonly error: string };

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const transformer = await loadTransformer(workerData as EncoderProfile);

port.on('message', (message: ToWorker) => {
  if (message === 'close') {
    port.close();
    return;
  }
  transformer(message.text, message.kind).then(
    (vector) => port.postMessage({ vector } satisfies FromWorker, [vector.buffer as ArrayBuffer]),
    (error: unknown) => port.postMessage({ error: String(error) } satisfies FromWorker),
  );
});
port.postMessage('ready' satisfies FromWorker);
