import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepScripts } from '../../server/keep-scripts.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { DAY } from '../../platform/time/durations.js';
import { startOperator } from './admin/operator.js';

describe('pinned scripts', () => {
  let directory: string;
  let to: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    to = join(directory, 'data', 'sdk');
    mkdirSync(join(directory, 'data'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const nameOf = (release: number) => `adsdk.${release.toString(16).padStart(16, '0')}.js`;
  /** Does what a release's server does when it starts. */
  const start = async (release: number, now: number) => {
    const from = join(directory, `release-${release}`);
    mkdirSync(from, { recursive: true });
    for (const name of [nameOf(release), `${nameOf(release)}.br`, `${nameOf(release)}.gz`, 'adsdk.js', 'loader.js']) {
      writeFileSync(join(from, name), `${name} of ${release}`);
    }
    await keepScripts({ from, to, now });
  };
  const kept = () => readdirSync(to).toSorted();
  const withSiblings = (...releases: number[]) =>
    releases.flatMap((release) => ['', '.br', '.gz'].map((sibling) => nameOf(release) + sibling)).toSorted();

  it('are kept for each release, with their compressed siblings', async () => {
    await start(1, DAY);
    await start(2, 2 * DAY);
    expect(kept()).to.deep.equal(withSiblings(1, 2));
    expect(readFileSync(join(to, nameOf(1)), 'utf8')).to.equal(`${nameOf(1)} of 1`);
  });

  it('are written once, and again if a file is damaged or gone', async () => {
    await start(1, DAY);
    const { ino } = statSync(join(to, nameOf(1)));
    await start(1, 2 * DAY);
    expect(statSync(join(to, nameOf(1))).ino).to.equal(ino);
    writeFileSync(join(to, nameOf(1)), 'half');
    rmSync(join(to, `${nameOf(1)}.br`));
    await start(1, 3 * DAY);
    expect(readFileSync(join(to, nameOf(1)), 'utf8')).to.equal(`${nameOf(1)} of 1`);
    expect(kept()).to.deep.equal(withSiblings(1));
  });

  it('are the 20 that were in use last: a release that was gone back to stays', async () => {
    writeFileSync(join(directory, 'data', 'other'), 'x');
    const releases = Array.from({ length: 22 }, (_, at) => at + 1);
    for (const release of releases) await start(release, release * DAY);
    expect(kept()).to.deep.equal(withSiblings(...releases.slice(2)));
    await start(3, 23 * DAY);
    await start(23, 24 * DAY);
    expect(kept()).to.deep.equal(withSiblings(3, ...releases.slice(4), 23));
  });

  it('lie in DATA_DIR once a server has started', async () => {
    const operator = await startOperator();
    try {
      const response = await fetch(`${operator.serving.baseUrl}/sdk/integrity.json`);
      const { file } = (await response.json()) as { file: string };
      const lying = readdirSync(join(operator.dataDir, 'sdk')).toSorted();
      expect(lying).to.deep.equal([file, `${file}.br`, `${file}.gz`]);
    } finally {
      await operator.close();
    }
  });

  it('do not prevent a start when they cannot be written, which is logged', async () => {
    writeFileSync(to, 'not a directory');
    const operator = await startOperator({ settings: { DATA_DIR: join(directory, 'data') } });
    try {
      expect((await fetch(`${operator.serving.baseUrl}/sdk/adsdk.js`)).status).to.equal(200);
      expect(operator.logged.map(({ msg }) => msg)).to.include('the script cannot be kept for pages that pin it');
    } finally {
      await operator.close();
    }
  });
});
