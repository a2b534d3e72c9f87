import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Commit } from './commit.js';
import { copyPackages } from './packages.js';

export interface AssembleOptions {
  /** An installed and built tree. */
  readonly root: string;
  /** The files in version control, from the root on. */
  readonly tracked: readonly string[];
  /** Where to put the release; must not exist. */
  readonly folder: string;
  readonly version: string;
  readonly commit: Commit;
}

/** What is read besides compiled code: models, templates, the sample catalogue, the demo, and what people read. */
const KEPT = /^(server|indexer|models|platform)\/|^sdk\/demo\/|^sdk\/GUIDE\.md$|^[A-Z]+\.md$|^LICENSE$|^NOTICE$/;
const LEFT_OUT = /\.ts$|^models\/training\/|^models\/EXPERIMENTS\.md$|\/screenshots\//;

/** Compiled code, of which tests and the making of releases are no part. */
const COMPILED = ['platform', 'models', 'indexer', 'server', 'sdk/public'];

/** Puts together what a release holds, with the same modes wherever it is made. */
export function assemble({ root, tracked, folder, version, commit }: AssembleOptions): void {
  mkdirSync(folder, { recursive: true });
  for (const file of tracked.filter((name) => KEPT.test(name) && !LEFT_OUT.test(name))) copy(root, folder, file);
  for (const part of COMPILED) copy(root, folder, path.join('dist', part));
  copyPackages(root, folder);
  writeFileSync(path.join(folder, 'package.json'), packageFile(root));
  writeFileSync(path.join(folder, 'release.json'), `${JSON.stringify(describe(version, commit), null, 2)}\n`);
  setModes(folder);
}

/** What the release says of itself; `server/setup.mjs` compares it with the machine. */
function describe(version: string, commit: Commit): object {
  const { platform, arch, versions } = process;
  return {
    version,
    commit: commit.id,
    committedAt: new Date(commit.seconds * 1000).toISOString(),
    platform,
    arch,
    node: versions.node,
    nodeModuleVersion: versions.modules,
  };
}

/** Without what only a checkout can run. */
function packageFile(root: string): string {
  const {
    devDependencies: _,
    scripts,
    ...rest
  } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
    devDependencies: unknown;
  };
  const runnable = Object.entries(scripts).filter(
    ([, script]) => !/\bdist\/(test|release)\/|mocha|tsc|oxlint|npm /.test(script),
  );
  const kept = runnable.filter(([name]) => name !== 'pretest');
  return `${JSON.stringify({ ...rest, scripts: Object.fromEntries(kept) }, null, 2)}\n`;
}

function copy(root: string, folder: string, name: string): void {
  const target = path.join(folder, name);
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(path.join(root, name), target, { recursive: true, dereference: true });
}

/** A checkout has the modes of whoever made it. */
function setModes(folder: string): void {
  for (const entry of readdirSync(folder)) {
    const file = path.join(folder, entry);
    if (statSync(file).isDirectory()) setModes(file);
    else chmodSync(file, 0o644);
  }
  chmodSync(folder, 0o755);
}
