import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../platform/text/sha256.js';
import type { Commit } from './commit.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly description?: string;
}

export interface SbomOptions {
  /** The commit that the folder was made from. Default: unknown, and the time is now. */
  readonly commit?: Commit;
  /** Whether to list the package at a path below the folder, such as `node_modules/koa`. Default: all. */
  readonly isListed?: (packagePath: string) => boolean;
}

/**
 * Returns the contents of a folder as CycloneDX 1.5: each package and each model in it, with version, licence and
 * digest. This lists what is actually there; with a commit, the same every time. (`npm sbom --omit dev` of npm 11.19
 * lacks every package that a development package needs too, such as pg.)
 */
export function sbomOf(folder: string, { commit, isListed = () => true }: SbomOptions = {}): string {
  const own = read(folder);
  const listed = packagesIn(folder, 'node_modules').filter(({ packagePath }) => isListed(packagePath));
  const components = [
    ...listed.map(({ manifest }) => component('library', manifest)),
    ...modelsIn(path.join(folder, 'models')),
  ];
  const content = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([commit?.id, components]))}`,
    version: 1,
    metadata: {
      timestamp: (commit === undefined ? new Date() : new Date(commit.seconds * 1000)).toISOString(),
      component: {
        ...component('application', own),
        'bom-ref': `adjacent@${own.version}`,
        ...(commit === undefined ? {} : { properties: [{ name: 'git:commit', value: commit.id }] }),
      },
    },
    components,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

interface Installed {
  /** Relative to the folder, with forward slashes, as in a lock file. */
  readonly packagePath: string;
  readonly manifest: Manifest;
}

function packagesIn(folder: string, within: string): Installed[] {
  if (!existsSync(path.join(folder, within))) return [];
  return readdirSync(path.join(folder, within))
    .toSorted()
    .flatMap((entry) => {
      const packagePath = `${within}/${entry}`;
      if (entry.startsWith('@')) return packagesIn(folder, packagePath);
      if (!existsSync(path.join(folder, packagePath, 'package.json'))) return [];
      return [
        { packagePath, manifest: read(path.join(folder, packagePath)) },
        ...packagesIn(folder, `${packagePath}/node_modules`),
      ];
    });
}

function modelsIn(folder: string): object[] {
  const models = readdirSync(folder).filter((entry) => entry.startsWith('adjacent-'));
  return models.toSorted().map((name) => {
    const files = readdirSync(path.join(folder, name), { recursive: true, encoding: 'utf8' });
    const weights = files.filter((file) => file.endsWith('.onnx')).toSorted();
    const hash = createHash('sha256');
    for (const file of weights) hash.update(readFileSync(path.join(folder, name, file)));
    return {
      type: 'machine-learning-model',
      name,
      description: weights.join(', '),
      hashes: [{ alg: 'SHA-256', content: hash.digest('hex') }],
    };
  });
}

function component(type: string, { name, version, license, description }: Manifest): object {
  const licence = typeof license === 'object' ? license.type : license;
  return {
    type,
    name,
    version,
    ...(description === undefined ? {} : { description }),
    ...(licence === undefined ? {} : { licenses: [licenceOf(licence)] }),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

/** Returns a package's licence: an SPDX expression, or its own name for it (`Apache 2.0`). */
function licenceOf(text: string): object {
  return /^\(?[\w.+-]+\)?( (AND|OR|WITH) \(?[\w.+-]+\)?)*$/.test(text)
    ? { expression: text }
    : { license: { name: text } };
}

function read(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

function uuidOf(text: string): string {
  const hex = sha256(text);
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
