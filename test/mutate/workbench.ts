import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A copy of the built code in which a file can be broken while tests run. */
export interface Workbench {
  /** Replaces the text of a built file, such as `server/keys/key.js`. */
  write(file: string, text: string): void;
  /**
   * Runs a built test file until a test fails.
   *
   * @returns whether all passed, and the duration in milliseconds
   */
  passes(test: string, limitMs: number): Promise<{ readonly passed: boolean; readonly ms: number }>;
  remove(): void;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

export function makeWorkbench(): Workbench {
  const copy = mkdtempSync(join(tmpdir(), 'adjacent-mutate-'));
  for (const name of readdirSync(root)) {
    if (name !== 'dist' && name !== 'data' && !name.startsWith('.')) symlinkSync(join(root, name), join(copy, name));
  }
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  return {
    write: (file, text) => writeFileSync(join(copy, 'dist', file), text),
    passes(test, limitMs) {
      const began = performance.now();
      const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
      const args = ['--no-config', '--require', 'dist/test/support/test-environment.js', '--bail', '--exit'];
      // In its own process group, so that processes started by a test can be killed with it.
      const child = spawn(
        process.execPath,
        [mocha, ...args, '--timeout', '30000', '--reporter', 'dot', `dist/${test}`],
        {
          cwd: copy,
          stdio: 'ignore',
          detached: true,
        },
      );
      const end = (): boolean => {
        try {
          return process.kill(-child.pid!, 'SIGKILL');
        } catch {
          return false;
        }
      };
      const limit = setTimeout(end, limitMs);
      return new Promise((resolve) => {
        child.on('close', (code) => {
          clearTimeout(limit);
          end();
          resolve({ passed: code === 0, ms: performance.now() - began });
        });
      });
    },
    remove: () => rmSync(copy, { recursive: true }),
  };
}
