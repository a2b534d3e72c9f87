import { readdirSync } from 'node:fs';
import path from 'node:path';

/** What is made by installing, building and running, and what only version control reads. */
const NO_SOURCES = new Set(['.git', 'node_modules', 'dist', 'data', 'artifacts', 'coverage']);

/**
 * Paths of all files of a source tree that has no version control, from its root on: whoever copied it there chose them.
 * What installing, building and running leave behind is none of them.
 */
export function filesIn(root: string, folder = ''): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  const wanted = entries.filter(({ name }) => folder !== '' || !NO_SOURCES.has(name));
  return wanted
    .flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      return entry.isDirectory() ? filesIn(root, file) : [file];
    })
    .toSorted();
}
