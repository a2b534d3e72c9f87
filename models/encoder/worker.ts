import { parentPort, workerData } from 'node:worker_threads';
import type { Probed, TextKind } from './encoder.js';
import type { Probe } from './probe.js';
import type { EncoderProfile } from './profile.js';
import { loadTransformer } from './transformer.js';

/** What the pool sends: one text at a time, or the word to end. */
export type ToWorker = { readonly text: string; readonly kind: TextKind; readonly probes: readonly string[] } | 'close';
/** What a worker sends: that it is ready, then a vector or an error for each text. */
export type FromWorker = 'ready' | Probed | { readonly error: string };
/** What a worker is started with. */
export interface WorkerData {
  readonly profile: EncoderProfile;
  readonly probes: Readonly<Record<string, Probe>>;
}

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const { profile, probes } = workerData as WorkerData;
const transformer = await loadTransformer(profile, probes);

port.on('message', (message: ToWorker) => {
  if (message === 'close') {
    port.close();
    return;
  }
  transformer(message.text, message.kind, message.probes).then(
    (probed) => port.postMessage(probed satisfies FromWorker, [probed.vector.buffer as ArrayBuffer]),
    (error: unknown) => port.postMessage({ error: String(error) } satisfies FromWorker),
  );
});
port.postMessage('ready' satisfies FromWorker);
