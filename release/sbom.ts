import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Commit } from './commit.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly description?: string;
}

/**
 * Writes the contents of a release as CycloneDX 1.5: each package and each model in it, with version, licence and
 * digest. `npm sbom` lists what a lock file names; this lists what is actually there, with the same result every time.
 *
 * @returns the file
 */
export function writeSbom(folder: string, file: string, { id, seconds }: Commit): string {
  const own = read(folder);
  const components = [...packagesIn(path.join(folder, 'node_modules')), ...modelsIn(path.join(folder, 'models'))];
  const content = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([id, components]))}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      component: {
        ...component('application', own),
        'bom-ref': `adjacent@${own.version}`,
        properties: [{ name: 'git:commit', value: id }],
      },
    },
    components,
  };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

function packagesIn(folder: string): object[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .flatMap((entry) => {
      const place = path.join(folder, entry);
      if (entry.startsWith('@')) return packagesIn(place);
      if (!existsSync(path.join(place, 'package.json'))) return [];
      return [component('library', read(place)), ...packagesIn(path.join(place, 'node_modules'))];
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
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
