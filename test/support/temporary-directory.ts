import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Creates a new, empty directory, which the test must remove. */
export function temporaryDirectory(): string {
  return mkdtempSync(path.join(tmpdir(), 'adjacent-test-'));
}
