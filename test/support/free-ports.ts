import { createServer } from 'node:net';

/**
 * Ports of this machine on which nothing listens, below those that systems give to outgoing connections: who stops
 * listening for a while can have its port again.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const free = new Set<number>();
  while (free.size < count) {
    const port = LEAST + Math.floor(Math.random() * (BEYOND - LEAST));
    if (await isFree(port)) free.add(port);
  }
  return [...free];
}

/** Linux gives from 32,768 on, macOS from 49,152. */
const [LEAST, BEYOND] = [20_000, 32_768];

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
