import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FLAG, main, parseOptions, TEXT } from '../platform/command-line/run-command.js';
import { archive, writeChecksums } from './archive.js';
import { assemble } from './assemble.js';
import { buildFresh } from './build-fresh.js';
import { readCommit, requireChangelogSection, tag, trackedFiles } from './commit.js';
import { sbomOf } from './sbom.js';
import { smokeTest } from './smoke-test.js';

const usage = `Usage: npm run release [-- options]

Makes adjacent-VERSION-PLATFORM-ARCH.tar.gz from the last commit: compiled, with its packages and models, so that it starts
without npm and without a compiler on machines like this one; also an SBOM (CycloneDX) and SHA256SUMS. The same commit
gives the same bytes. Then unpacks the tarball elsewhere, starts it, and requests an ad.

  --to DIR    output directory (default: ./artifacts)
  --reuse     use the packages and the build of this directory instead of a clean export: takes seconds, for
              trying out; includes uncommitted changes, and marks the commit accordingly
  --tag       tag the commit vVERSION if everything succeeded (default: print the command)

Needs git and GNU tar; without --reuse also what npm start needs, and some minutes.

Example: npm run release -- --tag
`;

await main({
  usage,
  async run(argv, output) {
    const { values } = parseOptions(argv, { to: TEXT, reuse: FLAG, tag: FLAG }, 0);
    const here = path.resolve('.');
    const to = path.resolve(values.to ?? 'artifacts');
    const reuse = values.reuse === true;
    const commit = readCommit(here, reuse);
    if (values.tag === true) requireChangelogSection(readFileSync('CHANGELOG.md', 'utf8'), versionOf(here));
    const work = mkdtempSync(path.join(tmpdir(), 'adjacent-release-'));
    const say = (text: string): void => output.err(`${text} …\n`);
    try {
      const root = reuse ? here : path.join(work, 'source');
      if (!reuse) {
        say('Installing and building a clean export');
        buildFresh(here, commit, root);
      }
      const version = versionOf(root);
      const name = `adjacent-${version}-${process.platform}-${process.arch}`;
      const folder = path.join(work, name);
      say('Assembling its contents');
      assemble({ root, tracked: trackedFiles(here, commit), folder, version, commit });
      const made = path.join(work, 'made');
      mkdirSync(made);
      const sbom = path.join(made, `${name}.cdx.json`);
      writeFileSync(sbom, sbomOf(folder, { commit }));
      say('Packing');
      const tarball = await archive(folder, path.join(made, `${name}.tar.gz`), commit.seconds);
      const sums = path.join(made, 'SHA256SUMS');
      await writeChecksums(sums, [tarball, sbom]);
      say('Unpacking it elsewhere and requesting an ad');
      const tried = await smokeTest(tarball, path.join(work, 'tried'));
      // Copied only now: a release that failed its test does not replace a good one.
      mkdirSync(to, { recursive: true });
      for (const file of [tarball, sbom, sums]) {
        const place = path.join(to, path.basename(file));
        copyFileSync(file, place);
        output.out(`${place}\n`);
      }
      output.out(`unpacked, indexed three ads, and served one in ${tried.seconds.toFixed(1)} s\n`);
      output.out(
        values.tag === true
          ? tag(here, version, commit)
          : `to tag it: git tag -a v${version} ${commit.id} -m v${version}\n`,
      );
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  },
});

function versionOf(root: string): string {
  return (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
