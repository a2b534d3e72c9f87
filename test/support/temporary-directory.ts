import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Creates a new, empty directory. A test removes it if it is large; what is left is removed at the end of the run
 * (`test-environment.ts`).
 */
export function temporaryDirectory(): string {
  return mkdtempSync(path.join(process.env['TEST_RUN_DIRECTORY'] ?? tmpdir(), 'adjacent-test-'));
}
