import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Commit } from './commit.js';
import { copyPackages } from './packages.js';

export interface AssembleOptions {
  /** An installed and built tree. */
  readonly root: string;
  /** The files in version control, relative to the root. */
  readonly tracked: readonly string[];
  /** Where to put the release; must not exist. */
  readonly folder: string;
  readonly version: string;
  readonly commit: Commit;
}

/**
 * Tracked files needed besides compiled code: models, templates, the sample catalogue, the demo, manifests, alert rules
 * and documents.
 */
const KEPT =
  /^(server|indexer|models|platform|deploy|docs)\/|^sdk\/demo\/|^sdk\/GUIDE\.md$|^[A-Z]+\.md$|^LICENSE$|^NOTICE$/;
const LEFT_OUT = /\.ts$|^models\/training\/|^models\/EXPERIMENTS\.md$|\/screenshots\/|^platform\/bundles\//;

/** Compiled code, without tests and release tools. */
const COMPILED = ['bundles', 'platform', 'models', 'indexer', 'server', 'sdk/public'];

/** Assembles the contents of a release, with the same file modes on every machine. */
export function assemble({ root, tracked, folder, version, commit }: AssembleOptions): void {
  mkdirSync(folder, { recursive: true });
  for (const file of tracked.filter((name) => KEPT.test(name) && !LEFT_OUT.test(name))) copy(root, folder, file);
  for (const part of COMPILED) copy(root, folder, path.join('dist', part));
  copyPackages(root, folder);
  writeFileSync(path.join(folder, 'package.json'), packageFile(root));
  writeFileSync(path.join(folder, 'release.json'), `${JSON.stringify(describe(version, commit), null, 2)}\n`);
  setModes(folder);
}

/** Returns the content of `release.json`, which `server/setup.mjs` compares with the machine. */
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

/** Returns `package.json` without scripts that need a checkout, and without devDependencies. */
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

/** Normalises file modes, which in a checkout depend on the umask of its owner. */
function setModes(folder: string): void {
  for (const entry of readdirSync(folder)) {
    const file = path.join(folder, entry);
    if (statSync(file).isDirectory()) setModes(file);
    else chmodSync(file, 0o644);
  }
  chmodSync(folder, 0o755);
}
