import { cpSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { lock } from 'proper-lockfile';
import { Installation } from './installation.js';

/**
 * Puts the indexed sample catalogue into a data directory. Indexing takes 15 seconds of processor time, so the first
 * test of a run that needs it does it, with the run's profile and languages, and all others copy what it published.
 */
export async function copySampleIndex(dataDir: string): Promise<void> {
  const original = path.join(process.env['TEST_RUN_DIRECTORY']!, 'sample-index');
  mkdirSync(original, { recursive: true });
  const release = await lock(original, { retries: { retries: 1000, minTimeout: 200, maxTimeout: 200 } });
  try {
    if (!existsSync(path.join(original, 'current'))) await new Installation(original).indexSample();
  } finally {
    await release();
  }
  cpSync(original, dataDir, { recursive: true });
}
