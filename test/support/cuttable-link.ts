import { connect, createServer, type Socket } from 'node:net';

/** A link to a server of this machine that can be cut as a network is: open connections end, new ones are refused. */
export interface CuttableLink {
  readonly port: number;
  cut(): Promise<void>;
  /** From now on it swallows everything, and gives no sign. */
  darken(): void;
  mend(): Promise<void>;
}

/** @param target port that it leads to */
export async function cuttableLink(target: number): Promise<CuttableLink> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  let dark = false;
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1');
    keep(incoming);
    keep(outgoing);
    if (dark) return;
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as { port: number };
  return {
    port,
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    darken() {
      dark = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend: () => listen(port),
  };
}
