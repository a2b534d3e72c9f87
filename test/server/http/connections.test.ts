import { expect } from 'chai';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { CONNECTION_LIMITS, oneResponseAtATime, limitConnections } from '../../../server/http/connections.js';
import { openHttpServer } from '../../../server/http/http-server.js';
import { eventually } from '../../support/eventually.js';
import { listen } from '../../support/listen.js';
import { startService, type Service } from './service.js';

const closed = (socket: Socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve()));

describe('pipelined requests of a client that does not read', () => {
  let service: Service;
  before(async () => void (service = await startService()));
  after(() => service.close());

  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const ask = (path: string, times: number) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times);
  const answers = () => service.logged.filter(({ msg }) => msg === 'request').length;

  it('get only a few responses, and are cut off above the limit', async () => {
    const before = answers();
    const socket = (await open()).pause();
    socket.write(ask('/openapi.json', 1700));
    await closed(socket.resume());
    expect(answers() - before).to.be.below(10);
  });

  it('are answered in order when there are few', async () => {
    const socket = await open();
    let text = '';
    socket.on('data', (data) => (text += String(data)));
    socket.write(ask('/healthz', 1) + ask('/nothing', 1) + ask('/readyz', 10));
    await eventually(() => expect(text.match(/HTTP\/1\.1 \d+/g)).to.have.length(12));
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses).to.deep.equal([200, 404, ...Array.from({ length: 10 }, () => 200)]);
    // Later requests, queued behind waiting ones, are answered too.
    for (let round = 0; round < 20; round++) {
      socket.write(ask('/healthz', 5));
      await eventually(() => expect(text.match(/HTTP\/1\.1 \d+/g)!.length).to.be.at.least(12 + 5 * round));
    }
    await eventually(() => expect(text.match(/HTTP\/1\.1 \d+/g)).to.have.length(112));
    socket.destroy();
  });

  it('have their bodies read', async () => {
    const socket = await open();
    let text = '';
    socket.on('data', (data) => (text += String(data)));
    const body = JSON.stringify({ context: 'x'.repeat(100_000) });
    const match = `POST /api/v1/public/creatives/match HTTP/1.1\r\nHost: x\r\nx-api-key: ${service.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(ask('/healthz', 2) + match.repeat(3) + ask('/healthz', 1));
    await eventually(() => expect(text.match(/HTTP\/1\.1 200/g)).to.have.length(6));
    socket.destroy();
  });
});

describe('requests in one packet', () => {
  const P = 'GET /healthz HTTP/1.1\r\n';
  const kinds = {
    'that are plain': `${P}Host: x\r\n\r\n`,
    // Node hands over more than 32 headers, and trailers, in a way that lets promises go on meanwhile.
    'with many headers': `${P}Host: x\r\n${'a: b\r\n'.repeat(40)}\r\n`,
    'with trailers': `${P}Host: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: b\r\n\r\n`,
    'with an unknown expectation': `${P}Host: x\r\nExpect: x\r\n\r\n`,
    'without a host': `${P}\r\n`,
  };
  for (const [kind, text] of Object.entries(kinds)) {
    it(`${kind} are handled one per turn of the event loop, and cut off above the limit`, async () => {
      const server = await openHttpServer(0, '127.0.0.1');
      let ended = 0;
      server.handle((_, response) => void response.end());
      const socket = connect(server.port, '127.0.0.1');
      try {
        socket
          .on('error', () => undefined)
          .on('data', (data) => {
            ended += String(data).match(/HTTP\/1\.1 \d+/g)?.length ?? 0;
          });
        socket.write(text.repeat(100));
        await closed(socket);
        expect(ended).to.be.at.most(2);
      } finally {
        await server.drain(0, 0);
      }
    });

    it(`${kind} are answered when there are few`, async () => {
      const server = await openHttpServer(0, '127.0.0.1');
      server.handle((_, response) => void response.end());
      const socket = connect(server.port, '127.0.0.1');
      let received = '';
      socket.on('error', () => undefined).on('data', (data) => (received += String(data)));
      const isRefused = kind === 'without a host';
      try {
        socket.write(text.repeat(isRefused ? 1 : 10));
        const status = isRefused ? 400 : 200;
        const answers = Array.from({ length: isRefused ? 1 : 10 }, () => `HTTP/1.1 ${status}`);
        await eventually(() => expect(received.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(answers));
        expect(received.includes('{"error":"the header Host is missing"}')).to.equal(isRefused);
      } finally {
        socket.destroy();
        await server.drain(0, 0);
      }
    });
  }
});

describe('a body that arrives after its request was answered', () => {
  let service: Service;
  before(async () => void (service = await startService()));
  after(() => service.close());

  const piece = (length: number) => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;
  const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const match = post('/api/v1/public/creatives/match');
  const open = () => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    let text = '';
    socket.on('error', () => undefined).on('data', (data) => (text += String(data)));
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    return { socket, statuses };
  };

  for (const [fault, head, status] of [
    ['a missing key', match, 401],
    ['a wrong method', post('/api/v1/public/creatives/beacon'), 405],
  ] as const) {
    it(`does not occupy the server in pieces of one byte, after ${fault}`, async () => {
      const { socket, statuses } = open();
      socket.write(head + piece(1));
      await eventually(() => expect(statuses()).to.deep.equal([status]));
      socket.write(piece(1).repeat(3000));
      await closed(socket);
    });
  }

  it('is not read to its end if it is long', async () => {
    const { socket, statuses } = open();
    socket.write(match + piece(1));
    await eventually(() => expect(statuses()).to.deep.equal([401]));
    socket.write(piece(1024 * 1024));
    await closed(socket);
  });

  for (const pieces of [20, 60]) {
    it(`leaves the connection usable otherwise, here of ${pieces * 16} KiB`, async () => {
      const { socket, statuses } = open();
      const head = match.replace('Host: x', `Host: x\r\nx-api-key: ${service.key}`);
      socket.write(`${head}${piece(0x4000).repeat(pieces)}0\r\n\r\n`);
      await eventually(() => expect(statuses()).to.deep.equal([413]));
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await eventually(() => expect(statuses()).to.deep.equal([413, 200]));
      socket.destroy();
    });
  }
});

describe('a connection that is cut off', () => {
  it('has no further requests parsed, since all those received at once would fill the memory', async () => {
    let parsed = 0;
    const never = oneResponseAtATime(() => undefined, { requestsAhead: 3, responseMs: 60_000 });
    const server = await listen((request, response) => {
      parsed++;
      never(request, response);
    });
    try {
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1500));
      await closed(socket.resume());
      expect(parsed).to.equal(5);
    } finally {
      await server.close();
    }
  });
});

describe('an answer', () => {
  it('closes its connection when the client does not fetch it in time', async () => {
    const endless = oneResponseAtATime((_, response) => void response.write('x'), {
      requestsAhead: 1,
      responseMs: 100,
    });
    const server = await listen(endless);
    try {
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      let received = '';
      socket.setEncoding('latin1').on('data', (data: string) => void (received += data));
      const began = performance.now();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await closed(socket);
      expect(performance.now() - began).to.be.within(99, 10_000);
      expect(received).to.match(/^HTTP\/1\.1 200 OK/);
    } finally {
      await server.close();
    }
  });
});

describe('idle connections', () => {
  it('are closed when nearly as many as allowed are open', async () => {
    const server = await openHttpServer(0, '127.0.0.1', { limits: { connections: 10 } });
    const idle: Socket[] = [];
    try {
      for (let number = 0; number < 8; number++) {
        const socket = connect(server.port, '127.0.0.1');
        socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
        await once(socket, 'data');
        idle.push(socket);
      }
      const gone = Promise.all(idle.map(closed));
      expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).to.equal(200);
      await gone;
    } finally {
      for (const socket of idle) socket.destroy();
      await server.drain(0, 1000);
    }
  });
});

describe('a starting server', () => {
  for (const [answersHealth, status] of [
    [true, 200],
    [false, 503],
  ] as const) {
    it(`returns ${status} for /healthz when it is ${answersHealth ? '' : 'not '}among its paths`, async () => {
      const server = await openHttpServer(0, '127.0.0.1', { answersHealth });
      try {
        expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).to.equal(status);
        expect((await fetch(`http://127.0.0.1:${server.port}/readyz`)).status).to.equal(503);
      } finally {
        await server.drain(0, 0);
      }
    });
  }
});

describe('a server that shuts down', () => {
  it('answers clients whose connections the system has completed but the server has not accepted yet', async () => {
    const server = await openHttpServer(0, '127.0.0.1');
    const callers = Array.from({ length: 8 }, () => connect(server.port, '127.0.0.1'));
    const answers = callers.map(async (caller) => {
      caller.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      let answer = '';
      for await (const part of caller) answer += String(part);
      return answer;
    });
    // They connect in the next tick and are accepted in the next turn of the event loop.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    await Promise.all([server.drain(5000, 1000), ...answers]);
    for (const answer of await Promise.all(answers)) {
      expect(answer)
        .to.match(/^HTTP\/1\.1 200 /)
        .and.include('Connection: close');
    }
  });
});

describe('connections of one network', () => {
  /** A connection as the server receives it, from any address. */
  const from = (remoteAddress: string) => {
    const socket = new Duplex({ read: () => undefined, write: (_, __, done) => done() });
    return Object.assign(socket, { remoteAddress });
  };
  const opened = (limit: number | null, addresses: readonly string[]): number => {
    const server = createServer();
    server.removeAllListeners('connection');
    limitConnections(server, { ...CONNECTION_LIMITS, connectionsPerNetwork: limit });
    const sockets = addresses.map(from);
    for (const socket of sockets) server.emit('connection', socket);
    return sockets.filter(({ destroyed }) => !destroyed).length;
  };

  it('are limited, whatever the spelling of the address', () => {
    expect(opened(2, ['203.0.113.1', '::ffff:203.0.113.1', '203.0.113.1', '203.0.113.2'])).to.equal(3);
    expect(opened(2, ['2a00:1:2:3::1', '2a00:1:2:3:ffff::', '2A00:0001:2:3:4:5:6:7', '2a00:1:2:4::1'])).to.equal(3);
  });

  it('are limited for all networks of a site together, to four times as many', () => {
    const sites = Array.from({ length: 20 }, (_, network) => `2a00:1:2:${network.toString(16)}::1`);
    expect(opened(2, [...sites, '2a00:1:3:1::1'])).to.equal(9);
  });

  it('are not limited for private addresses, where a proxy may be, nor behind trusted proxies', () => {
    expect(opened(1, ['127.0.0.1', '127.0.0.1', '10.0.0.1', '10.0.0.1', '::1', '::1'])).to.equal(6);
    expect(opened(null, ['203.0.113.1', '203.0.113.1'])).to.equal(2);
  });

  it('are accepted again after others have closed', async () => {
    const server = createServer();
    server.removeAllListeners('connection');
    limitConnections(server, { ...CONNECTION_LIMITS, connectionsPerNetwork: 1 });
    const first = from('203.0.113.1');
    server.emit('connection', first);
    first.destroy();
    await once(first, 'close');
    const second = from('203.0.113.1');
    server.emit('connection', second);
    expect(second.destroyed).to.equal(false);
  });
});
