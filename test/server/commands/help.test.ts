import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '../../../server/config/settings.js';
import { USAGE } from '../../../server/config/usage.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
/** What npm runs, without the set-up before it. */
const commands = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /node (?:--enable-source-maps )?(dist\/(?:server|indexer|test)\S+)$/.exec(script) ?? [];
  return file === undefined ? [] : ([[name, file]] as const);
});

describe('--help', function () {
  this.timeout(30_000);
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  it('is asked of every command', () => {
    expect(commands.map(([name]) => name)).to.include.members([
      'start',
      'index',
      'keys',
      'report',
      'bench',
      'simulate',
    ]);
  });

  for (const [name, file] of commands) {
    it(`of npm run ${name}: usage, options, an example, exit 0, and nothing is done`, () => {
      // Settings that could not be used otherwise: help needs none.
      const env = { ...process.env, DATA_DIR: folder, PORT: 'x', WORKERS: 'x' };
      const { status, stdout, stderr } = spawnSync(process.execPath, [`${root}${file}`, '--help'], {
        cwd: folder,
        env,
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      const called = name === 'start' ? 'npm start' : `npm run ${name}`;
      const lines = stdout.split('\n');
      expect(lines[0]).to.match(new RegExp(`^Usage: ${called}( |$)`));
      expect(lines.filter((line) => line.startsWith(`Example: ${called}`))).to.have.length(1);
      expect(stdout, 'options').to.match(/^ {2}\S.* {2}\S/m);
      expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(130);
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  }

  it('of npm start names every setting, as an option and as a variable', () => {
    for (const { name } of SETTINGS) {
      const option = `--${name.toLowerCase().replaceAll('_', '-')}`;
      expect(USAGE).to.match(new RegExp(`^ {2}${option} .* ${name} +\\S.*\\(default: `, 'm'));
    }
  });
});
