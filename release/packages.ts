import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Packages that others depend on but nothing loads: ONNX Runtime for browsers has 141 MB. */
const NEVER_LOADED = new Set(['onnxruntime-web']);

/**
 * Packages of which only these files are read: the rest is source code, other platforms and other builds of the same
 * code.
 */
const NEEDED: Readonly<Record<string, RegExp>> = {
  'better-sqlite3': /^(package\.json|LICENSE|lib\/.*|build\/Release\/better_sqlite3\.node)$/,
  'hnswlib-node': /^(package\.json|LICENSE|lib\/.*|build\/Release\/addon\.node)$/,
  'onnxruntime-node': new RegExp(
    `^(package\\.json|LICENSE.*|README\\.md|dist/.*|bin/[^/]+/${process.platform}/${process.arch}/.*)$`,
  ),
  // Their code is in dist/bundles.
  '@xenova/transformers': /^(package\.json|LICENSE)$/,
  ajv: /^(package\.json|LICENSE)$/,
  'ajv-formats': /^(package\.json|LICENSE)$/,
  eld: /^(package\.json|LICENSE)$/,
  kysely: /^(package\.json|LICENSE)$/,
  typebox: /^(package\.json|license)$/,
  usearch: new RegExp(
    `^(package\\.json|LICENSE|javascript/dist/(esm|cjs)/.*\\.js(on)?|build/Release/usearch\\.node|prebuilds/${process.platform}-[^/]*${process.arch}[^/]*/.*)$`,
  ),
};

/** Files neither run nor required by a licence. */
const NOT_RUN = /\.(map|d\.ts|d\.mts|d\.cts|markdown)$|(^|\/)(test|tests|docs?|example|examples|\.github)\//;

/** Returns where the lock file puts packages that a running service needs, such as `node_modules/koa`. */
export function productionPackages(root: string): string[] {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  return Object.keys(packages).filter((packagePath) => packagePath !== '' && packages[packagePath]!.dev !== true);
}

/** Copies the packages that a running service needs, as installed for this platform. */
export function copyPackages(root: string, folder: string): void {
  for (const packagePath of productionPackages(root)) {
    const name = packagePath.split('node_modules/').at(-1)!;
    const source = path.join(root, packagePath);
    // Optional packages exist only on some platforms.
    if (NEVER_LOADED.has(name) || !existsSync(source)) continue;
    const isWanted = (file: string): boolean => {
      const within = path.relative(source, file).replaceAll(path.sep, '/');
      if (within === '' || isFolderOnTheWay(name, within)) return true;
      // Nested packages have their own entries.
      if (/(^|\/)node_modules(\/|$)/.test(within)) return false;
      return NEEDED[name]?.test(within) ?? !NOT_RUN.test(within);
    };
    cpSync(source, path.join(folder, packagePath), { recursive: true, dereference: true, filter: isWanted });
  }
}

/** Returns whether a directory may contain needed files: `cpSync` must enter it before the pattern can match a file. */
function isFolderOnTheWay(name: string, within: string): boolean {
  return (
    name in NEEDED &&
    /^(lib|dist|build|build\/Release|javascript(\/dist(\/(esm|cjs))?)?|prebuilds(\/[^/]+)?|bin(\/[^/]+){0,3})$/.test(
      within,
    ) &&
    isPlatforms(within)
  );
}

function isPlatforms(within: string): boolean {
  const [top, , platform = process.platform, arch = process.arch] = within.split('/');
  return top !== 'bin' || (platform === process.platform && arch === process.arch);
}
