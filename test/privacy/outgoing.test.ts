import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.js';

const PRELOAD = new URL('./outgoing-child.js', import.meta.url).href;

describe("the record of a process's outgoing connections", () => {
  const folder = temporaryDirectory();
  after(() => rm(folder, { recursive: true }));

  it('contains each connection and each name lookup, by every API', async () => {
    const file = path.join(folder, 'noted');
    const script = `import { lookup } from 'node:dns/promises'; import { connect } from 'node:net'; import dns from 'node:dns';
      import { createSocket } from 'node:dgram'; const socket = createSocket('udp4');
      await fetch('http://127.0.0.1:65123/').catch(() => 0); connect(9, '127.0.0.2').on('error', () => 0);
      await lookup('one.invalid').catch(() => 0); dns.resolve('two.invalid', () => 0); socket.send('x', 9, '127.0.0.3', () => socket.close());`;
    const child = spawn(process.execPath, ['--import', PRELOAD, '--input-type=module', '-e', script], {
      env: { ...process.env, OUTGOING_FILE: file },
      stdio: 'inherit',
    });
    await once(child, 'exit');
    const noted = readFileSync(file, 'utf8');
    for (const target of ['127.0.0.1', '127.0.0.2', 'one.invalid', 'two.invalid']) expect(noted).to.include(target);
    expect(noted).to.include('datagram');
  });
});
