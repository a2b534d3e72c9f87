import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { archive, writeChecksums } from '../../release/archive.js';
import { assemble } from '../../release/assemble.js';
import { git, readCommit, requireChangelogSection, tag, trackedFiles } from '../../release/commit.js';
import { sbomOf } from '../../release/sbom.js';
import { smokeTest } from '../../release/smoke-test.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('a release', function () {
  this.timeout(300_000);
  const work = temporaryDirectory();
  after(() => rm(work, { recursive: true }));
  const commit = { id: 'c0ffee'.padEnd(40, '0'), seconds: 1_795_000_000 };

  const make = async (attempt: string): Promise<string> => {
    const folder = path.join(work, attempt, 'adjacent-1.2.3');
    assemble({ root, tracked: trackedFiles(root, readCommit(root, true)), folder, version: '1.2.3', commit });
    writeFileSync(path.join(work, attempt, 'sbom.json'), sbomOf(folder, { commit }));
    return archive(folder, path.join(work, attempt, 'release.tar.gz'), commit.seconds);
  };
  let tarball: string;
  before(async () => void (tarball = await make('first')));

  it('has the same bytes when it is built again', async () => {
    const again = await make('second');
    expect(readFileSync(again).equals(readFileSync(tarball))).to.equal(true);
    const sboms = ['first', 'second'].map((attempt) => readFileSync(path.join(work, attempt, 'sbom.json'), 'utf8'));
    expect(sboms[0]).to.equal(sboms[1]);
    rmSync(path.join(work, 'second'), { recursive: true });
  });

  it('states its version, commit and platform', () => {
    const { version } = process;
    const said = JSON.parse(readFileSync(path.join(work, 'first', 'adjacent-1.2.3', 'release.json'), 'utf8')) as object;
    expect(said).to.include({ version: '1.2.3', commit: commit.id, platform: process.platform, arch: process.arch });
    expect(said).to.include({ node: version.slice(1), committedAt: '2026-11-18T11:06:40.000Z' });
  });

  it('lists every package that it contains, and the models', () => {
    const { components, metadata } = JSON.parse(readFileSync(path.join(work, 'first', 'sbom.json'), 'utf8')) as {
      components: { type: string; name: string; version: string; licenses?: object[] }[];
      metadata: object;
    };
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      dependencies: object;
    };
    const names = components.map(({ name }) => name);
    const aliased = { '@xenova/transformers': '@huggingface/transformers' } as Record<string, string>;
    for (const name of Object.keys(dependencies)) expect(names).to.include(aliased[name] ?? name);
    expect(names).to.include.members(['adjacent-base', 'adjacent-small', 'onnxruntime-node']);
    expect(names).to.not.include.any.members(['mocha', 'typescript']);
    expect(metadata).to.deep.include({ timestamp: '2026-11-18T11:06:40.000Z' });
    const licencesOf = (wanted: string) => components.find(({ name }) => name === wanted)!.licenses;
    for (const { name, type, licenses } of components) if (type === 'library') expect(licenses, name).to.be.an('array');
    expect(licencesOf('koa')).to.deep.equal([{ expression: 'MIT' }]);
    expect(licencesOf('usearch')).to.deep.equal([{ license: { name: 'Apache 2.0' } }]);
  });

  it('starts with nothing but Node, and serves an ad', async () => {
    const { ad } = await smokeTest(tarball, path.join(work, 'tried'));
    expect(ad).to.equal('boots');
  });

  it('reports if it was built for another platform', () => {
    const unpacked = path.join(work, 'tried', 'adjacent-1.2.3');
    const file = path.join(unpacked, 'release.json');
    const said = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...said, arch: 'riscv64' }));
    const { status, stderr } = spawnSync(process.execPath, ['server/setup.mjs'], { cwd: unpacked, encoding: 'utf8' });
    expect(status).to.equal(1);
    expect(stderr)
      .to.include(`made for ${process.platform} riscv64`)
      .and.to.include('Take the release for this machine');
  });

  it('contains no tests, sources or development packages, and only files that are tracked or built', () => {
    const unpacked = path.join(work, 'tried', 'adjacent-1.2.3');
    const top = readdirSync(unpacked).filter((name) => !name.endsWith('.md'));
    expect(top).to.have.members(
      'LICENSE NOTICE deploy dist docs indexer models node_modules package.json platform release.json sdk server'.split(
        ' ',
      ),
    );
    expect(readdirSync(path.join(unpacked, 'deploy', 'watch'))).to.include('alerts.yaml');
    expect(readdirSync(path.join(unpacked, 'dist'))).to.have.members([
      'bundles',
      'platform',
      'models',
      'indexer',
      'server',
      'sdk',
    ]);
    const all = readdirSync(path.join(unpacked, 'server'), { recursive: true, encoding: 'utf8' });
    expect(all.filter((name) => name.endsWith('.ts'))).to.deep.equal([]);
    const { scripts } = JSON.parse(readFileSync(path.join(unpacked, 'package.json'), 'utf8')) as { scripts: object };
    expect(scripts).to.include.keys('start', 'index', 'keys', 'ledger');
    expect(scripts).to.not.have.any.keys('test', 'build', 'check', 'bench', 'release');
  });
});

describe('packing', () => {
  const work = temporaryDirectory();
  after(() => rm(work, { recursive: true }));

  it('depends on names and contents, not on times, the order of writing or the owner', async () => {
    const pack = async (attempt: string, names: readonly string[], seconds: number): Promise<Buffer> => {
      const folder = path.join(work, attempt, 'content');
      mkdirSync(folder, { recursive: true });
      for (const name of names) {
        writeFileSync(path.join(folder, name), `the content of ${name}`);
        utimesSync(path.join(folder, name), seconds, seconds);
      }
      return readFileSync(await archive(folder, path.join(work, `${attempt}.tar.gz`), 1_795_000_000));
    };
    const one = await pack('one', ['a', 'B', 'é'], 1000);
    expect((await pack('two', ['é', 'a', 'B'], 2_000_000)).equals(one)).to.equal(true);
    expect((await pack('three', ['é', 'a', 'C'], 1000)).equals(one)).to.equal(false);
  });

  it('has checksums that sha256sum can check', async () => {
    writeFileSync(path.join(work, 'a'), 'a');
    await writeChecksums(path.join(work, 'SHA256SUMS'), [path.join(work, 'a')]);
    const digest = createHash('sha256').update('a').digest('hex');
    expect(readFileSync(path.join(work, 'SHA256SUMS'), 'utf8')).to.equal(`${digest}  a\n`);
  });
});

describe('npm run sbom', function () {
  this.timeout(60_000);

  it('lists the packages installed for production, and no others', () => {
    const { stdout } = spawnSync(process.execPath, ['dist/release/print-sbom.js'], { cwd: root, encoding: 'utf8' });
    const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: { name: string }[] };
    expect(bomFormat).to.equal('CycloneDX');
    const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { name?: string; dev?: boolean }>;
    };
    const installed = Object.entries(packages).flatMap(([place, { name, dev }]) =>
      place === '' || dev || !existsSync(path.join(root, place)) ? [] : [name ?? place.split('node_modules/').at(-1)!],
    );
    const models = ['adjacent-base', 'adjacent-multilingual', 'adjacent-small'];
    expect(installed).to.include.members(['koa', 'pg', 'ajv', 'onnxruntime-node']).and.not.include('mocha');
    expect(components.map(({ name }) => name).toSorted()).to.deep.equal([...installed, ...models].toSorted());
  });
});

describe('the commit of a release', () => {
  const repository = temporaryDirectory();
  after(() => rm(repository, { recursive: true }));
  before(() => {
    git(repository, 'init', '-q');
    git(repository, 'config', 'user.email', 'maker@example.org');
    git(repository, 'config', 'user.name', 'Maker');
    writeFileSync(path.join(repository, 'file'), '1');
    git(repository, 'add', 'file');
    git(repository, 'commit', '-qm', 'One');
  });

  it('is the one that is checked out, and is tagged on request', () => {
    const commit = readCommit(repository, false);
    expect(commit.id).to.match(/^[0-9a-f]{40}$/);
    expect(trackedFiles(repository, commit)).to.deep.equal(['file']);
    expect(tag(repository, '1.2.3', commit)).to.include('tagged v1.2.3');
    expect(git(repository, 'rev-parse', 'v1.2.3^{commit}').trim()).to.equal(commit.id);
  });

  it('is tagged only if the CHANGELOG describes the version', () => {
    const changelog = '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-22\n';
    expect(() => requireChangelogSection(changelog, '1.2.3')).to.not.throw();
    for (const version of ['1.2', '1.2.4'])
      expect(() => requireChangelogSection(changelog, version)).to.throw(`[${version}]`);
  });

  it('is refused if files differ from it, unless `mayDiffer` is set; then it is not tagged', () => {
    writeFileSync(path.join(repository, 'other'), '2');
    expect(() => readCommit(repository, false)).to.throw(/differ from it:\n\?\? other/);
    const commit = readCommit(repository, true);
    expect(commit.id).to.match(/-changed$/);
    expect(() => tag(repository, '1.2.4', commit)).to.throw(/not tagged/);
  });
});
