import { connect, createServer, type Socket } from 'node:net';
import { freePorts } from './free-ports.js';

/** A link to a local server that can be cut like a network: open connections end, new ones are refused. */
export interface CuttableLink {
  readonly port: number;
  cut(): Promise<void>;
  /** From now on drops everything without an error. */
  dropPackets(): void;
  /** Restores the link. Dropped data stay lost: connections from while it was dropping end. */
  mend(): Promise<void>;
}

/** @param target port to which the link leads */
export async function cuttableLink(target: number): Promise<CuttableLink> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  let dropping = false;
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1');
    keep(incoming);
    keep(outgoing);
    if (dropping) return;
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const [port = 0] = await freePorts(1);
  await listen(port);
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      drop();
      await closed;
    },
    dropPackets() {
      dropping = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async mend() {
      if (dropping) drop();
      dropping = false;
      if (!server.listening) await listen(port);
    },
  };
}
