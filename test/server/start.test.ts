import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { API } from '../../server/domain/urls.js';
import { eventually } from '../support/eventually.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const START = fileURLToPath(new URL('../../server/start.js', import.meta.url));
const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));

/** Runs the built server in its own process, as `npm start` does. */
describe('the server process', function () {
  this.timeout(300_000);
  let dataDir: string;
  let running: ChildProcess[] = [];
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(async () => {
    for (const child of running) if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    running = [];
    rmSync(dataDir, { recursive: true });
  });

  const start = (env: Record<string, string> = {}, ...args: string[]) => {
    const output = { out: '', err: '' };
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, PORT: '0', WORKERS: '1', DATA_DIR: dataDir, ...env },
    });
    running.push(child);
    child.stdout.on('data', (data) => (output.out += String(data)));
    child.stderr.on('data', (data) => (output.err += String(data)));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return { child, output, ended };
  };
  const serving = async (env: Record<string, string> = {}) => {
    const process = start(env);
    await eventually(() => expect(process.output.out, process.output.err).to.include('/docs'), 120_000);
    const [, origin = ''] = /at (http:\/\/localhost:\d+)/.exec(process.output.out) ?? [];
    return { ...process, origin, key: /pub_\w+/.exec(process.output.out)?.[0] ?? '' };
  };

  it('prints the demo page and a test key that works, and is not ready before a catalogue is published', async () => {
    const { output, origin, key } = await serving();
    expect(output.out).to.include(`${origin}/`).and.include('npm run index');
    expect(await (await fetch(`${origin}/demo/config.json`)).json()).to.deep.equal({ apiKey: key });
    const response = await fetch(`${origin}${API}/match`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ context: 'which boots for the hills?' }),
    });
    expect(response.status).to.equal(404);
    expect(response.headers.get('x-adjacent-reason')).to.equal('no-catalogue');
    const ready = await fetch(`${origin}/readyz`);
    expect(ready.status).to.equal(503);
    expect(await ready.json()).to.deep.equal({ error: 'catalogue: none is published yet' });
    expect((await fetch(`${origin}/healthz`)).status).to.equal(200);
  });

  it('indexes the sample catalogue once on npm start, with its options rather than the environment', async () => {
    const other = join(dataDir, 'other');
    const output = { out: '', err: '' };
    const launch = async () => {
      const child = spawn(
        process.execPath,
        [START, `--data-dir=${other}`, '--profile=fast', '--languages=en', '--port', '0', '--log-level', 'silent'],
        {
          cwd: dataDir,
          env: {
            ...process.env,
            WORKERS: '1',
            PROFILE: 'quality',
            LANGUAGES: 'all',
            DATA_DIR: join(dataDir, 'of-the-environment'),
          },
        },
      );
      running.push(child);
      [output.out, output.err] = ['', ''];
      child.stdout.on('data', (data) => (output.out += String(data)));
      child.stderr.on('data', (data) => (output.err += String(data)));
      await eventually(() => expect(output.out, output.err).to.include('/docs'), 120_000);
      child.kill('SIGTERM');
      await once(child, 'close');
    };
    await launch();
    expect(output.out).to.match(/^Adjacent serves 462 creatives at/);
    expect(output.err).to.include('Published');
    expect(readdirSync(dataDir)).to.deep.equal(['other']);
    await launch();
    expect(output.out).to.match(/^Adjacent serves 462 creatives at/);
    expect(output.err).to.equal('');
  });

  for (const [signal, code, message] of [
    ['SIGKILL', 1, /ended by SIGKILL; .*memory/],
    ['SIGTERM', 130, /^Indexing the sample catalogue, .*…\n$/],
  ] as const) {
    it(`exits with ${code} on npm start if ${signal} ends the indexer`, async () => {
      const ending = join(dataDir, 'ending.mjs');
      writeFileSync(
        ending,
        `if (/indexer.main.js$/.test(process.argv[1])) {
          process.kill(process.pid, '${signal}');
          setInterval(() => {}, 1000);
          await new Promise(() => {});
        }`,
      );
      const child = spawn(process.execPath, [START], {
        env: { ...process.env, PORT: '0', DATA_DIR: dataDir, NODE_OPTIONS: `--import ${pathToFileURL(ending).href}` },
      });
      running.push(child);
      let err = '';
      child.stderr.on('data', (data) => (err += String(data)));
      expect((await once(child, 'close'))[0], err).to.equal(code);
      expect(err).to.match(message);
    });
  }

  it('ends the indexing of the sample catalogue, and does not start, when only this process gets SIGTERM', async () => {
    const child = spawn(process.execPath, [START], { env: { ...process.env, PORT: '0', DATA_DIR: dataDir } });
    running.push(child);
    let err = '';
    child.stderr.on('data', (data) => (err += String(data)));
    const indexing = (): boolean => readdirSync(dataDir).includes('catalogue.lock');
    await eventually(() => expect(indexing(), err).to.equal(true), 60_000);
    child.kill('SIGTERM');
    // Its standard error closes once the indexer, which shares it, has ended too.
    expect((await once(child, 'close'))[0], err).to.equal(130);
    expect(err).to.contain('Interrupted').and.not.to.contain('Published');
  });

  it('prints the administration token once, and stores it for the owner only', async () => {
    const first = await serving();
    expect(first.output.out).to.match(/admin token +[\w-]{32} /);
    expect(statSync(join(dataDir, 'admin-token')).mode & 0o777).to.equal(0o600);
    first.child.kill('SIGTERM');
    expect(await first.ended).to.equal(0);
    const second = await serving();
    expect(second.output.out).to.not.include('admin token');
    expect(second.key).to.not.equal(first.key);
  });

  it('has no demo key if the base URL is not local', async () => {
    const { output } = start({ BASE_URL: 'https://ads.example' });
    await eventually(() => expect(output.out, output.err).to.include('https://ads.example/docs'), 120_000);
    expect(output.out).to.not.include('pub_');
  });

  it('exits with 1 and names every fault in the settings', async () => {
    const { output, ended } = start({ PORT: 'x', FLOOR: '2', DATABASE_URL: 'mysql://h/d' }, '--colour', 'red');
    expect(await ended).to.equal(1);
    for (const fault of ['PORT ', 'FLOOR ', 'DATABASE_URL ', '--colour ']) expect(output.err).to.include(fault);
  });

  it('exits with 1 and advice if the port is in use', async () => {
    const { origin } = await serving();
    const { output, ended } = start({ PORT: new URL(origin).port });
    expect(await ended).to.equal(1);
    expect(output.err).to.match(/port \d+ is already in use; .* PORT=\d+/);
  });

  it('exits with 1 and names a missing model', async () => {
    const { output, ended } = start({ MODEL: 'nobody/has-this' });
    expect(await ended).to.equal(1);
    expect(output.err).to.include('MODEL').and.include('nobody/has-this');
  });

  it('logs that it drains, by which signal, and that it has ended', async () => {
    const { child, output, ended } = await serving();
    child.kill('SIGTERM');
    expect(await ended).to.equal(0);
    const lines = output.err.trim().split('\n').slice(-2);
    const [draining, over] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(draining).to.deep.include({ level: 30, signal: 'SIGTERM' });
    expect(draining!['msg']).to.match(/^draining: /);
    expect(over).to.deep.include({ level: 30 });
    expect(over!['msg']).to.match(/^ended: .* on the disk$/);
  });

  it('exits on SIGTERM while it starts, too, as process 1 of a container must do itself', async () => {
    await serving();
    const { child, output, ended } = start();
    await eventually(() => expect(output.err).to.include('waiting for its end'), 120_000);
    child.kill('SIGTERM');
    expect(await ended).to.equal(0);
    expect(output.err).to.include('ended: nothing was served yet');
  });

  it('answers every request of clients that keep sending while it shuts down', async () => {
    const { child, origin, ended } = await serving();
    const faults: string[] = [];
    let answered = 0;
    const client = async () => {
      for (;;) {
        try {
          const response = await fetch(`${origin}${API}/beacon?requestId=x`);
          await response.arrayBuffer();
          if (response.status !== 200) faults.push(String(response.status));
          answered++;
        } catch (error) {
          const { code, syscall } = (error as Error).cause as { code?: string; syscall?: string };
          // A refused connection is not an accepted request: the load balancer tries another node.
          if (code === 'ECONNREFUSED' || syscall === 'connect') return;
          faults.push(`${syscall}: ${code}`);
        }
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await eventually(() => expect(answered).to.be.above(200));
    child.kill('SIGTERM');
    await Promise.all(clients);
    expect(faults).to.deep.equal([]);
    expect(await ended).to.equal(0);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`finishes the request that it is reading on ${signal}, then exits with 0`, async () => {
      const { child, origin, key, ended, output } = await serving();
      const body = JSON.stringify({ context: 'half of this comes late' });
      const socket = connect(Number(new URL(origin).port), 'localhost');
      let answer = '';
      socket.on('data', (data) => (answer += String(data)));
      const closed = once(socket, 'close');
      socket.write(
        `POST ${API}/match HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body.slice(0, 10));
      await fetch(`${origin}/healthz`);
      child.kill(signal);
      await eventually(async () => expect(await fetch(`${origin}/healthz`).catch(() => 'refused')).to.equal('refused'));
      socket.write(body.slice(10));
      await closed;
      expect(answer)
        .to.match(/^HTTP\/1\.1 404 /)
        .and.include('x-adjacent-reason: no-catalogue');
      expect(await ended, output.err).to.equal(0);
    });
  }
});
