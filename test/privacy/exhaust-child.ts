import { isMainThread } from 'node:worker_threads';

// Loaded into the server before its own code: on this signal it fills its heap until V8 aborts.
if (isMainThread) {
  process.on('SIGUSR2', () => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from<unknown>({ length: 2_000_000 }).fill(0));
  });
}
