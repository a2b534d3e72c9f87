import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Commit } from './commit.js';

/**
 * Exports a commit into a new directory, installs exactly what its lock file names, and builds it there.
 *
 * @throws Error if a step fails; its output is on standard error
 */
export function buildFresh(repository: string, { id }: Commit, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const exported = execFileSync('git', ['-C', repository, 'archive', '--format=tar', id], { maxBuffer: 1 << 30 });
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: exported });
  // Keeps the build directory's path out of the compiled addons.
  const flags = `-ffile-prefix-map=${folder}=.`;
  const env = { ...process.env, CFLAGS: flags, CXXFLAGS: flags };
  execFileSync(process.execPath, [path.join(folder, 'server', 'setup.mjs')], { stdio: ['ignore', 2, 2], env });
}
