import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// By default tests, and the processes that they start, use the fast profile: they do not depend on the encoder, and the
// larger one takes several times as long.
process.env['PROFILE'] ??= 'fast';
// Likewise without the multilingual encoder.
process.env['LANGUAGES'] ??= 'en';

// What tests share, such as the indexed sample catalogue. Mocha's main process makes it, and its workers inherit it.
if (process.env['TEST_RUN_DIRECTORY'] === undefined) {
  const directory = mkdtempSync(path.join(tmpdir(), 'adjacent-test-run-'));
  // PostgreSQL and PgBouncer do not run as root, and read their files in directories within.
  chmodSync(directory, 0o711);
  process.env['TEST_RUN_DIRECTORY'] = directory;
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
}
