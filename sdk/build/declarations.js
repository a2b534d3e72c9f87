import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * One self-contained declaration file from those that tsc wrote: the public types, and what the ES module exports. A
 * page that uses the global gets `window.adsdk` typed by naming the file in its `types`.
 *
 * @param {string} from the folder of tsc's output
 * @returns {string}
 */
export function declarations(from) {
  return ['error', 'types', 'client', 'module']
    .map((name) => readFileSync(join(from, `${name}.d.ts`), 'utf8'))
    .join('')
    .replace(/^(import .* from '\.\/\w+\.js'|export \{ \w+ \} from .*|\/\/# sourceMappingURL.*);?\n?/gm, '')
    .replace(/import\("\.\/types\.js"\)\./g, '');
}
