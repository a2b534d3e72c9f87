import { parentPort, workerData } from 'node:worker_threads';
import type { Encoding, TextKind } from './encoder.js';
import type { EncoderProfile } from './profile.js';
import { loadTransformer } from './transformer.js';

/** What the pool sends: one text at a time, or the order to end. */
export type ToWorker = { readonly text: string; readonly kind: TextKind } | 'close';
/** What a worker sends: that it is ready, then a vector or an error for each text. */
export type FromWorker = 'ready' | Encoding | { readonly error: string };
/** What a worker is started with. */
export interface WorkerData {
  readonly profile: EncoderProfile;
}

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const transformer = await loadTransformer((workerData as WorkerData).profile);

port.on('message', (message: ToWorker) => {
  if (message === 'close') {
    port.close();
    return;
  }
  transformer(message.text, message.kind).then(
    (encoding) => port.postMessage(encoding satisfies FromWorker, [encoding.vector.buffer as ArrayBuffer]),
    (error: unknown) => port.postMessage({ error: String(error) } satisfies FromWorker),
  );
});
port.postMessage('ready' satisfies FromWorker);
