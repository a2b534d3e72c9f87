import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SETUP = fileURLToPath(new URL('../../../server/setup.mjs', import.meta.url));

describe('setup', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    mkdirSync(path.join(folder, 'server'));
    mkdirSync(path.join(folder, 'bin'));
    copyFileSync(SETUP, path.join(folder, 'server', 'setup.mjs'));
    writeFileSync(path.join(folder, 'package-lock.json'), '{"packages":{}}');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('fails if the addons do not load after the installation, and says what may be wrong', () => {
    // An npm that installs nothing that this Node can load, and notes its calls.
    const npm = `#!/bin/sh\necho "$1" >> ${path.join(folder, 'calls')}\n`;
    writeFileSync(path.join(folder, 'bin', 'npm'), npm, { mode: 0o755 });
    const { status, stderr } = spawnSync(process.execPath, ['server/setup.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${path.join(folder, 'bin')}${path.delimiter}${process.env['PATH']}` },
    });
    expect(status).to.equal(1);
    expect(stderr)
      .to.match(/does not load in Node \d+\.\d+/)
      .and.to.include('npm config get nodedir');
    expect(readFileSync(path.join(folder, 'calls'), 'utf8'), 'no build').to.equal('ci\n');
  });
});
