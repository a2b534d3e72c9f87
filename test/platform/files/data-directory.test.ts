import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { warnOfOtherOwner } from '../../../platform/files/data-directory.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const built = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const feed = fileURLToPath(new URL('../../../../indexer/sample/creatives.jsonl', import.meta.url));

/** On Linux, /proc responds in a way that makes Node's recursive `mkdir` never return. */
describe('a DATA_DIR that cannot be created', function () {
  this.timeout(60_000);
  const folder = temporaryDirectory();
  const file = join(folder, 'file');
  before(() => writeFileSync(file, ''));
  after(() => rmSync(folder, { recursive: true }));

  for (const [command, ...args] of [
    ['indexer/main.js', feed],
    ['indexer/rollback.js'],
    ['indexer/fetch-model.js', 'nobody/has-this'],
    ['server/main.js'],
    ['server/commands/keys/main.js', 'create', '--publisher', 'P'],
  ] as const) {
    it(`makes ${command} exit with a one-line error`, () => {
      for (const dataDir of [...(process.platform === 'linux' ? ['/proc/x'] : []), join(file, 'data')]) {
        const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', WORKERS: '1' };
        const options = { env, encoding: 'utf8', timeout: 25_000 } as const;
        const { status, stdout, stderr } = spawnSync(process.execPath, [built(command), ...args], options);
        expect({ status, stdout }, dataDir).to.deep.equal({ status: 1, stdout: '' });
        expect(stderr).to.match(new RegExp(`^[^\\n]*DATA_DIR ${dataDir} cannot be created \\(\\w+\\)[^\\n]*\\n$`));
      }
    });
  }
});

describe('a DATA_DIR of another user', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  it('makes a command of root say whose service could not read its files', function () {
    if (process.getuid?.() !== 0) return this.skip();
    chownSync(folder, 1234, 1234);
    const args = [built('server/commands/keys/main.js'), 'list', '--data-dir', folder];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status).to.equal(0);
    expect(stderr).to.include(`DATA_DIR ${folder} belongs to the user with id 1234`);
    chownSync(folder, 0, 0);
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' }).stderr).to.equal('');
    return undefined;
  });

  it('is no matter to that user', () => {
    const lines: string[] = [];
    warnOfOtherOwner(folder, (line) => lines.push(line), 1234);
    expect(lines).to.deep.equal([]);
  });
});
