import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createEncoder } from '../../../models/encoder/pool.js';
import { PROFILES, readProfile } from '../../../models/encoder/profile.js';
import type { WorkerData } from '../../../models/encoder/worker.js';

/**
 * Exits with status 7, the given number of milliseconds after it began to load the model or, once that is loaded, to
 * encode. In the phase `failing`, the threads find no model, and the status is 8 if the exit waited for more than two
 * seconds.
 */
const [phase, afterMs] = process.argv.slice(2);
const spawn = ({ profile, activity }: WorkerData): Worker => {
  const directory = phase === 'failing' ? '/nowhere/at-all' : profile.directory;
  const workerData: WorkerData = { profile: { ...profile, directory }, activity };
  return new Worker(new URL('../../../models/encoder/worker.js', import.meta.url), { workerData });
};
const loading = createEncoder(readProfile(`${PROFILES.fast}?languages=en`, ''), { workers: 2, spawn });
// A task that fails before the exit is not a fault here.
loading.catch(() => undefined);
if (phase === 'encoding') {
  const encoder = await loading;
  for (let at = 0; at < 40; at++) void encoder.embed(`User: text ${at} `.repeat(10), 'context');
}
await pause(Number(afterMs));
const began = performance.now();
process.on('exit', () => {
  if (phase === 'failing' && performance.now() - began > 2000) process.exitCode = 8;
});
process.exit(7);
