import { setTimeout as pause } from 'node:timers/promises';
import { createEncoder } from '../../../models/encoder/pool.js';
import { PROFILES, readProfile } from '../../../models/encoder/profile.js';

/** Exits with status 7, so many milliseconds after it began to load the model or, once that is loaded, to encode. */
const [phase, afterMs] = process.argv.slice(2);
const loading = createEncoder(readProfile(`${PROFILES.fast}?languages=en`, ''), { workers: 2 });
if (phase === 'encoding') {
  const encoder = await loading;
  for (let at = 0; at < 40; at++) void encoder.embed(`User: text ${at} `.repeat(10), 'context');
}
await pause(Number(afterMs));
process.exit(7);
