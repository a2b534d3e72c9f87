import { expect } from 'chai';
import { request } from 'node:http';
import { createAdmission } from '../../../server/decide/admission.js';
import { API } from '../../../server/domain/urls.js';
import { createBodyMemoryLimit } from '../../../server/http/body/body-memory-limit.js';
import { eventually } from '../../support/eventually.js';
import { boots, startService, type Service } from './service.js';

describe('more requests than the server can decide', () => {
  let service: Service;
  const real = createAdmission(1);
  /** The networks of waiting requests, and the conversations that were decided. */
  const asked: string[] = [];
  const begun: string[] = [];
  let aborted = 0;
  let end: () => void;
  before(async () => {
    const ended = new Promise<void>((resolve) => (end = resolve));
    service = await startService({
      trustProxy: 1,
      admission: {
        waiting: 0,
        isFull: (client) => real.isFull(client),
        run: (client, signal, work) => (asked.push(client.network), real.run(client, signal, work)),
      },
      decide: async ({ context = '' }, _, signal) => {
        begun.push(context);
        signal?.addEventListener('abort', () => context === 'gone' && aborted++);
        await (context === 'gone' ? new Promise<never>((__, fail) => signal?.addEventListener('abort', fail)) : ended);
        return { filled: true, creative: boots, score: 0.9 };
      },
    });
  });
  after(() => service.close());

  const ask = (context: string, address: string) =>
    service.match({ context }, { 'x-forwarded-for': address }).then(({ status }) => status);

  it('are refused with 503 at once if they come from one address, while those of others come next', async () => {
    // IPv6 clients can use any address within their network.
    const greedy = Array.from({ length: 100 }, (_, number) => ask('greedy', `2a00:1:2:3::${number.toString(16)}`));
    const refused = await Promise.race(greedy.map(async (status) => ((await status) === 503 ? 'refused' : 'served')));
    expect(refused).to.equal('refused');
    const honest = ask('honest', '2a00:1:2:4::1');
    await eventually(() => expect(asked).to.include('2a00:1:2:4::/64'));
    end();
    expect(await honest).to.equal(200);
    expect(begun.indexOf('honest')).to.be.within(1, 2);
    expect(new Set(await Promise.all(greedy))).to.deep.equal(new Set([200, 503]));
  });

  it('are dropped when the client disconnects', async () => {
    const { port } = new URL(service.baseUrl);
    const headers = { 'x-api-key': service.key };
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path: `${API}/match`, headers });
    sent.on('error', () => undefined).end('{"context": "gone"}');
    await eventually(() => expect(begun).to.include('gone'));
    sent.destroy();
    await eventually(() => expect(aborted).to.equal(1));
    await eventually(() => expect(service.logged.at(-1)).to.include({ status: 400 }));
    expect(await ask('after', '203.0.113.1')).to.equal(200);
  });
});

describe('memory for large request bodies', () => {
  const KiB = 1024;
  /** A network is its own site, or belongs to the site named before the slash. */
  const from = (network: string) => ({ network, site: network.replace(/\/.*/, '') });

  it('is limited in total and per network, and is given back', () => {
    const room = createBodyMemoryLimit(100 * KiB, 60 * KiB);
    const first = room.take(from('a'), 40 * KiB);
    expect(
      [room.take(from('a'), 30 * KiB), room.take(from('a'), 20 * KiB)].map((taken) => taken !== null),
    ).to.deep.equal([false, true]);
    expect(room.take(from('b'), 50 * KiB)).to.equal(null);
    expect(room.take(from('b'), 40 * KiB)).to.not.equal(null);
    first?.();
    expect(room.take(from('a'), 40 * KiB)).to.not.equal(null);
  });

  it('is limited for all networks of a site together', () => {
    const room = createBodyMemoryLimit(1000 * KiB, 60 * KiB);
    const takes = (network: number) => room.take(from(`site/${network}`), 60 * KiB);
    const taken = Array.from({ length: 10 }, (_, network) => takes(network)).filter((release) => release !== null);
    expect(taken).to.have.length(4);
    expect(room.take(from('b'), 60 * KiB)).to.not.equal(null);
    taken[0]!();
    expect(takes(11)).to.not.equal(null);
  });

  it('always suffices for one body', () => {
    const room = createBodyMemoryLimit(100 * KiB, 60 * KiB);
    const large = room.take(from('a'), 1000 * KiB);
    expect(large).to.not.equal(null);
    expect(room.take(from('b'), 20 * KiB)).to.equal(null);
    large?.();
    expect(room.take(from('b'), 20 * KiB)).to.not.equal(null);
  });

  it('is not needed for small bodies, so a client that announces large ones and sends nothing blocks no one else', async () => {
    const service = await startService();
    const { port } = new URL(service.baseUrl);
    const headers = { 'x-api-key': service.key, 'content-length': '262144' };
    // All come from one address, whose share is 32 of them.
    const held = Array.from({ length: 40 }, () => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path: `${API}/match`, headers, agent: false });
      sent.on('error', () => undefined).flushHeaders();
      return sent;
    });
    try {
      const large = () => service.match({ context: 'x'.repeat(200_000) });
      await eventually(async () => expect((await large()).status).to.equal(503));
      expect((await service.match({ context: 'x'.repeat(10_000) })).status).to.equal(200);
      for (const sent of held) sent.destroy();
      await eventually(async () => expect((await large()).status).to.equal(200));
    } finally {
      await service.close();
    }
  });
});
