import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchProcess } from '../support/child-process.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { Installation, match } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { filesWith, makeCanary, spellingsOf } from './canary.js';

const SERVER = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const EXHAUST = new URL('./exhaust-child.js', import.meta.url).href;

/** The heap holds a conversation during its decision; a dump of the heap after a crash must not. */
describe('a server that runs out of memory after a conversation', function () {
  this.timeout(120_000);
  const canary = makeCanary();
  const folder = temporaryDirectory();
  after(() => rm(folder, { recursive: true }));

  it('leaves no heap snapshot, report or core dump, and does not log it', async () => {
    const [dataDir, cwd] = [path.join(folder, 'data'), path.join(folder, 'cwd')];
    for (const each of [dataDir, cwd]) mkdirSync(each);
    await new Installation(dataDir).run('indexer/main.js', writeFeed(folder, [feedRow('boots'), feedRow('tea')]));
    const settings = { DATA_DIR: dataDir, TMPDIR: cwd, HOME: cwd, PORT: '0', WORKERS: '1', LOG_LEVEL: 'trace' };
    // Like the documented service: no core dump (LimitCORE=0), and no Node options except a small heap.
    const args = [
      '-c',
      'ulimit -c 0; exec "$0" "$@"',
      process.execPath,
      '--max-old-space-size=160',
      '--import',
      EXHAUST,
      SERVER,
    ];
    const child = spawn('bash', args, { cwd, env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
    const running = watchProcess(child);
    try {
      let greeting = '';
      child.stdout.on('data', (data) => (greeting += String(data)));
      await running.prints('/docs');
      const [, origin = ''] = /at (http:\/\/localhost:\d+)/.exec(greeting) ?? [];
      const [key = ''] = /pub_\w+/.exec(greeting) ?? [];
      expect((await match(origin, key, `User: ${canary}`)).status).to.be.oneOf([200, 404]);
      child.kill('SIGUSR2');
      const { code, signal, stdout, stderr } = await running.ended;
      expect(stderr).to.include('JavaScript heap out of memory');
      expect(code === 134 || signal === 'SIGABRT').to.equal(true);
      expect(spellingsOf(canary, Buffer.from(stdout + stderr))).to.deep.equal([]);
      expect(readdirSync(cwd)).to.deep.equal([]);
      const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
      expect(names.filter((name) => /heapsnapshot|report\.|core/i.test(name))).to.deep.equal([]);
      expect(filesWith(canary, folder)).to.deep.equal([]);
    } finally {
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    }
  });
});
