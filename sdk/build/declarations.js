import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * One self-contained declaration file from those that tsc wrote: the public types, and what the ES module exports. A
 * page that uses the global gets `adsdk` and `window.adsdk` typed by naming the file in its `types`.
 *
 * @param {string} from the folder of tsc's output
 * @returns {string}
 */
export function declarations(from) {
  return ['error', 'types', 'client', 'module']
    .map((name) => readFileSync(join(from, `${name}.d.ts`), 'utf8'))
    .join('')
    .replace(/^(import .* from '\.\/\w+\.js'|export \{ \w+ \} from .*|\/\/# sourceMappingURL.*);?\n?/gm, '')
    .replace(/import\("\.\/types\.js"\)\./g, '')
    .replace(/(\/\*\*[^/]*\*\/\n)?export declare function asError\(.*\n/, '')
    .concat(GLOBALS);
}

/**
 * The global of the script. The interfaces merge with those of the DOM, of Node or of an edge runtime; where a project
 * has none of one, as on a server without the library `dom`, they make the file compile.
 */
const GLOBALS = `declare global {
    var adsdk: Adsdk | undefined;
    interface AbortSignal {}
    interface CustomEvent<T = any> {}
    interface HTMLElement {}
    interface URL {}
}
`;
