import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOutOfReach, warnOfOtherOwner } from '../../../platform/files/data-directory.js';
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

describe('files of DATA_DIR that belong to root', () => {
  const folder = temporaryDirectory();
  const SERVICE = 1234;
  before(function () {
    if (process.getuid?.() !== 0) return this.skip();
    mkdirSync(join(folder, 'images'));
    // As at the top of an ext4 volume.
    mkdirSync(join(folder, 'lost+found'), { mode: 0o700 });
    for (const name of ['keys.json', 'images/a.png', 'images/b.png'])
      writeFileSync(join(folder, name), '', { mode: 0o600 });
    for (const name of ['.', 'images', 'images/a.png']) chownSync(join(folder, name), SERVICE, SERVICE);
    chmodSync(folder, 0o700);
    return undefined;
  });
  after(() => rmSync(folder, { recursive: true }));

  it('are named when a service of another user starts, which says what to do', function () {
    this.timeout(30_000);
    const env = { ...process.env, DATA_DIR: folder, PORT: '0', DEMO: 'off' };
    const start = (uid: number) =>
      spawnSync(process.execPath, [built('server/main.js')], { env, uid, encoding: 'utf8', timeout: 25_000 });
    const { status, stderr } = start(SERVICE);
    expect(status).to.equal(1);
    expect(stderr).to.include('this user may not read and write all of DATA_DIR');
    expect(stderr).to.match(/"files":\[("keys\.json",?|"images\/b\.png",?){2}\]/);
    expect(stderr).to.match(/adjacent cannot start: .*keys\.json cannot be used: EACCES/);
    for (const [name, fault] of [
      ['signing-keys.json', /signing-keys\.json cannot be used: EACCES/],
      ['ledger.sqlite', /ledger\.sqlite cannot be opened: .*may this user read and write it/],
    ] as const) {
      rmSync(join(folder, 'keys.json'), { force: true });
      rmSync(join(folder, 'signing-keys.json'), { force: true });
      writeFileSync(join(folder, name), '', { mode: 0o600 });
      expect(start(SERVICE).stderr, name).to.match(fault).and.to.not.include('damaged');
    }
  });

  it('are no matter to root', () => expect(findOutOfReach(folder)).to.deep.equal([]));
});
