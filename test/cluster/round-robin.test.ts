import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { roundRobin } from './round-robin.js';

describe('the proxy in front of several nodes', () => {
  const servers: Server[] = [];
  const listening = async (server: Server): Promise<number> => {
    servers.push(server.listen(0, '127.0.0.1'));
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  };
  after(() => servers.forEach((server) => server.close()));

  it('sends requests to the nodes in turn, with body and client address, and skips a node that is down', async () => {
    const node = (name: string) =>
      createServer((request, response) => {
        const from = request.headers['x-forwarded-for'];
        request.pipe(response.writeHead(201, { name, via: `${request.url} from ${String(from)}` }));
      });
    const [one, two] = [await listening(node('one')), await listening(node('two'))];
    const gone = createServer();
    const ports = [one, two, await listening(gone)];
    await new Promise((resolve) => gone.close(resolve));
    const proxy = await listening(roundRobin(ports));
    const answers: string[] = [];
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    for (let round = 0; round < 4; round++) {
      const response = await fetch(`http://127.0.0.1:${proxy}/a?b`, { method: 'POST', body: 'text', headers });
      expect([response.status, response.headers.get('via'), await response.text()]).to.deep.equal([
        201,
        '/a?b from 192.0.2.1, 127.0.0.1',
        'text',
      ]);
      answers.push(response.headers.get('name')!);
    }
    expect(answers).to.deep.equal(['one', 'two', 'one', 'one']);
  });
});
