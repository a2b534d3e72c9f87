import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** The directories of `server/` that are not features, and what each may import besides itself. */
const FEATURES = '(a feature)';
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  [FEATURES]: ['domain'],
  http: [FEATURES, 'domain'],
  admin: ['http', FEATURES, 'domain'],
  commands: ['http', FEATURES, 'domain'],
};

/** What each top-level directory may import besides itself. Files directly in `server/` compose everything below it. */
const TOP: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  models: ['platform'],
  indexer: ['platform', 'models'],
  server: ['platform', 'models'],
  sdk: [],
  release: ['platform', 'models'],
  test: ['platform', 'models', 'indexer', 'server', 'sdk', 'release'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * Finds faults in the imports of a source tree, including type imports: violations of the layers, and cycles of files
 * or directories. Directories form a cycle if files directly in them import each other, and also if, within one
 * directory, the contents of its parts do.
 *
 * @param root the directory that contains `platform/`, `models/`, `server/` …
 * @returns one sentence for each fault; empty if there is none
 */
export function importFaults(root: string): string[] {
  const files = Object.keys(TOP).flatMap((folder) => sourcesIn(root, folder));
  const imports = files.flatMap((file) => importsOf(root, file));
  const direct = imports.map(({ from, to }) => ({ from: path.dirname(from), to: path.dirname(to) }));
  return [
    ...imports.filter(isForbidden).map(({ from, to }) => `${from} must not import ${to}`),
    ...cyclesIn(imports).map((cycle) => `circular import of files: ${cycle}`),
    ...cyclesIn(direct).map((cycle) => `circular import of folders: ${cycle}`),
    ...cyclesIn(imports.map(siblings)).map((cycle) => `circular import of parts of one folder: ${cycle}`),
  ];
}

function sourcesIn(root: string, folder: string): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/')));
}

function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const { module } = parseSync(file, text);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
  const exported = module.staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value));
  const specifiers = [...module.staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exported, ...dynamic];
  return [...new Set(specifiers)]
    .filter((specifier) => specifier?.startsWith('.') === true)
    .map((specifier) => path.posix.join(path.posix.dirname(file), specifier!))
    .flatMap((target) => {
      const found = ['.ts', '.tsx'].map((extension) => target.replace(/\.js$/, extension));
      const to = found.find((candidate) => existsSync(path.join(root, candidate)));
      return to === undefined ? [] : [{ from: file, to }];
    });
}

function isForbidden({ from, to }: Import): boolean {
  const [top = '', part = '', ...below] = from.split('/');
  const [otherTop = '', otherPart = '', ...otherBelow] = to.split('/');
  if (top !== otherTop) return !(TOP[top] ?? []).includes(otherTop);
  if (top !== 'server' || below.length === 0) return false;
  if (otherBelow.length === 0) return true;
  const [layer, other] = [layerOf(part), layerOf(otherPart)];
  return layer !== other && !LAYERS[layer]!.includes(other);
}

function layerOf(part: string): string {
  return part in LAYERS ? part : FEATURES;
}

/** Returns the two parts of the deepest common directory: files, or directories with everything below them. */
function siblings({ from, to }: Import): Import {
  const [one, other] = [from.split('/'), to.split('/')];
  const shared = one.findIndex((name, at) => name !== other[at]);
  return { from: one.slice(0, shared + 1).join('/'), to: other.slice(0, shared + 1).join('/') };
}

/** Returns one cycle for each group of nodes that reach each other, such as `a → b → a`. */
function cyclesIn(edges: readonly Import[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
  const cycles: string[] = [];
  const done = new Set<string>();
  for (const start of next.keys()) {
    const cycle = done.has(start) ? null : pathBack(next, start);
    if (cycle === null) continue;
    for (const node of cycle) done.add(node);
    cycles.push([...cycle, start].join(' → '));
  }
  return cycles;
}

/** Returns the shortest path from a node back to itself; null if there is none. */
function pathBack(next: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | null {
  const before = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const following of next.get(node) ?? []) {
      if (following === start) {
        const cycle = [node];
        while (cycle[0] !== start) cycle.unshift(before.get(cycle[0]!)!);
        return cycle;
      }
      if (before.has(following)) continue;
      before.set(following, node);
      queue.push(following);
    }
  }
  return null;
}
