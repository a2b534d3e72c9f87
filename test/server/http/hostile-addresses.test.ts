import { expect } from 'chai';
import { connect } from 'node:net';
import { type Service, startService } from './service.js';

describe('invalid request targets', () => {
  let service: Service;
  before(async () => void (service = await startService()));
  after(() => service.close());

  /** Sends a raw request line and reads the status. */
  const statusOf = (method: string, target: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
      let answer = '';
      socket
        .on('error', reject)
        .on('data', (data) => (answer += String(data)))
        .on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])));
      socket.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    });

  // First, since Node prints such a warning only once.
  it('are not printed, whatever they contain', async () => {
    const warnings: string[] = [];
    const listener = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', listener);
    await statusOf('GET', 'http://23:59:60/?context=what+somebody+wrote');
    await new Promise(setImmediate);
    process.off('warning', listener);
    expect(warnings).to.deep.equal([]);
  });

  for (const [method, target, status] of [
    ['GET', 'http://?/healthz', 400],
    ['POST', 'http://?/admin/explain?', 400],
    ['GET', 'http://[/healthz', 400],
    // Since Node 24 this counts as a host.
    ['GET', 'http://xn--/healthz', URL.canParse('http://xn--') ? 200 : 400],
    ['GET', 'http://1:2:3/healthz', 400],
    ['GET', 'mailto:a@b.example', 400],
    ['GET', 'http://x', 404],
    ['GET', 'http://x/healthz', 200],
    ['GET', '//x/healthz', 404],
    ['GET', '?', 400],
    ['OPTIONS', '*', 204],
    ['GET', '/%', 404],
  ] as const) {
    it(`get ${status}: ${method} ${target}`, async () => {
      expect(await statusOf(method, target)).to.equal(status);
    });
  }
});
