import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openClient } from '../../../../platform/postgres/connection.js';
import { Installation } from '../../../support/installation.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../../support/postgres.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { contentOf, testInstallation } from '../../move/test-installation.js';

const MOVE = 'server/commands/move/main.js';
const command = fileURLToPath(new URL(`../../../../${MOVE}`, import.meta.url));

describe('npm run move', function () {
  this.timeout(240_000);
  let database: TemporaryDatabase;
  let dataDir: string;
  let back: string;
  beforeEach(async () => {
    database = await temporaryDatabase();
    dataDir = await testInstallation();
    back = join(temporaryDirectory(), 'back');
  });
  afterEach(async () => {
    await database.drop();
    for (const each of [dataDir, back]) rmSync(dirname(each), { recursive: true });
  });

  const attempt = (at: string, ...args: string[]) => new Installation(at).attempt(MOVE, ...args);
  /** Kills the command when it reports a step, or shortly after. */
  const killed = (at: string, args: readonly string[], step: string, laterMs: number): Promise<unknown> =>
    new Promise((resolve) => {
      const env = { ...process.env, DATA_DIR: at };
      const child = spawn(process.execPath, [command, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
      child.stderr.on('data', (said: Buffer) => {
        if (said.toString().includes(step)) setTimeout(() => child.kill('SIGKILL'), laterMs);
      });
      child.on('exit', (_, signal) => resolve(signal));
    });

  it('exits with 0 and a table if both sides are equal, however often it is run', async () => {
    for (const said of [
      'Both sides are equal. Set DATABASE_URL',
      'The installation was moved before, and both sides are still equal.',
    ]) {
      const { code, stdout, stderr } = await attempt(dataDir, '--to', database.url);
      expect(code, stderr).to.equal(0);
      expect(stderr).to.include(said);
      expect(stdout)
        .to.include('ledger: events')
        .and.match(/keys\.json +│ \d+ bytes, sha256 \w{12}… +│ equal/);
    }
    const json = await attempt(back, '--from', database.url, '--json');
    expect((JSON.parse(json.stdout) as { wasFinished: boolean }).wasFinished).to.equal(false);
  });

  it('exits with 1 and names the differences', async () => {
    await attempt(dataDir, '--to', database.url);
    const client = await openClient(database.url);
    await client.query("update events set price_micros = 1 where kind = 'click'");
    await client.end();
    const { code, stdout, stderr } = await attempt(dataDir, '--to', database.url);
    expect(code).to.equal(1);
    expect(stderr).to.include('DATA_DIR and the database differ in: ledger: events.');
    expect(stdout).to.include('price_micros 750000').and.include('price_micros 3');
  });

  it('exits with 1 if it is refused, without printing a password', async () => {
    const { code, stderr } = await attempt(back, '--to', 'postgres://anna:secret@127.0.0.1:1/x');
    expect([code, stderr]).to.deep.equal([1, `there is no installation in DATA_DIR ${back}\n`]);
    const away = await attempt(dataDir, '--to', 'postgres://anna:secret@127.0.0.1:1/x');
    expect(away.code).to.equal(1);
    expect(away.stderr).to.include('127.0.0.1:1/x cannot be reached').and.not.include('secret');
  });

  it('exits with 2 and names its help for invalid arguments', async () => {
    const there = ['--to', database.url];
    for (const argv of [
      [],
      [...there, '--from', database.url],
      ['--to', 'nowhere'],
      ['--to', 'DATABASE_URL'],
      [...there, 'x'],
    ]) {
      const { code, stderr } = await attempt(dataDir, ...argv);
      expect([code, stderr.includes('See npm run move -- --help')], argv.join(' ')).to.deep.equal([2, true]);
    }
  });

  it('is completed by the next run wherever it is killed, in both directions', async () => {
    const before = contentOf(dataDir);
    const there = ['--to', database.url];
    for (const [step, laterMs] of [
      ['keys', 5],
      ['snapshots', 20],
      ['ledger: counters', 1],
      ['comparing', 0],
    ] as const) {
      expect(await killed(dataDir, there, step, laterMs), step).to.equal('SIGKILL');
    }
    const moved = await attempt(dataDir, ...there);
    expect(moved.code, moved.stderr).to.equal(0);
    const from = ['--from', database.url];
    for (const [step, laterMs] of [
      ['keys', 5],
      ['ledger: counters', 1],
      ['putting the ledger', 0],
    ] as const) {
      expect(await killed(back, from, step, laterMs), step).to.equal('SIGKILL');
    }
    const returned = await attempt(back, ...from);
    expect(returned.code, returned.stderr).to.equal(0);
    expect(contentOf(back)).to.deep.equal(before);
  });
});
