import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A fresh, empty directory that the test removes itself. */
export function temporaryDirectory(): string {
  return mkdtempSync(path.join(tmpdir(), 'adjacent-test-'));
}
