import { createServer } from 'node:net';

/**
 * Returns local ports on which nothing listens, below the range that systems use for outgoing connections, so that a
 * server which stops listening for a while can get its port back.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const free = new Set<number>();
  while (free.size < count) {
    const port = LEAST + Math.floor(Math.random() * (BEYOND - LEAST));
    if (await isFree(port)) free.add(port);
  }
  return [...free];
}

/** Linux uses ports from 32,768 on for outgoing connections, macOS from 49,152. */
const [LEAST, BEYOND] = [20_000, 32_768];

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
