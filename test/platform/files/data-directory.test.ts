import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
        expect(stderr).to.match(new RegExp(`^[^\\n]*DATA_DIR ${dataDir} cannot be made \\(\\w+\\)[^\\n]*\\n$`));
      }
    });
  }
});
