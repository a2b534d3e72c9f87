import { expect } from 'chai';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { followCluster } from '../../../platform/cluster/follow.js';
import { eventually } from '../../support/eventually.js';
import { HANDSHAKE } from '../../support/postgres-handshake.js';

const log = (logged: string[]) => ({
  info: () => {},
  error: (_: object, message: string) => void logged.push(message),
});

describe('a node that follows other nodes', () => {
  it('keeps running when the database is lost between its welcome and its first response', async () => {
    let lost = 0;
    const database = createServer((socket: Socket) => {
      socket.once('data', () => {
        socket.write(HANDSHAKE);
        socket.once('data', () => {
          lost++;
          socket.destroy();
        });
      });
    });
    await new Promise<void>((resolve) => void database.listen(0, '127.0.0.1', resolve));
    const logged: string[] = [];
    const { port } = database.address() as AddressInfo;
    const cluster = { url: `postgres://nobody@127.0.0.1:${port}/none` } as Cluster;
    const following = await followCluster(cluster, { looks: [], log: log(logged), pollMs: 20 });
    try {
      await eventually(() => expect(lost).to.be.above(2), 5000);
      expect(logged).to.deep.equal(['the database does not answer; the last copy stays in force']);
    } finally {
      await following.close();
      database.close();
    }
  });

  it('starts although the database sends nothing after its welcome', async () => {
    const sockets: Socket[] = [];
    const database = createServer((socket: Socket) => {
      sockets.push(socket);
      socket.on('error', () => {}).once('data', () => socket.write(HANDSHAKE));
    });
    await new Promise<void>((resolve) => void database.listen(0, '127.0.0.1', resolve));
    const logged: string[] = [];
    const { port } = database.address() as AddressInfo;
    const cluster = { url: `postgres://nobody@127.0.0.1:${port}/none` } as Cluster;
    const following = await followCluster(cluster, { looks: [], log: log(logged), pollMs: 60_000 });
    expect(logged).to.deep.equal(['the database does not answer; the last copy stays in force']);
    await following.close();
    sockets.forEach((socket) => socket.destroy());
    database.close();
  });
});
