import { type AddressInfo, createServer, type Socket } from 'node:net';

/** PostgreSQL's messages AuthenticationOk and ReadyForQuery. */
const WELCOME = Buffer.from('5200000008000000005a0000000549', 'hex');

export interface PostgresStub {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts a server that welcomes every connection as PostgreSQL does, and answers no statement.
 *
 * @param onStatement called with the connection at its first statement; default: stays silent
 */
export async function postgresStub(onStatement: (connection: Socket) => void = () => {}): Promise<PostgresStub> {
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection
      .on('error', () => {})
      .once('data', () => {
        connection.write(WELCOME);
        connection.once('data', () => onStatement(connection));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://nobody@127.0.0.1:${port}/none`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const connection of connections) connection.destroy();
      }),
  };
}
