import { connect, type Socket } from 'node:net';
import type { HostileConnection } from './hostile/connection.js';

/** The responses on one connection. */
export interface Received {
  readonly text: string;
  /** The status of each response. */
  readonly statuses: readonly number[];
  /**
   * Whether the server closed the connection, or the client did after the responses; false if it was cut off after
   * `LIMIT_MS`.
   */
  readonly ended: boolean;
}

/** An incomplete request waits for its end; after this long the client closes its side. */
const PATIENCE_MS = 1000;
/** By then the server must have ended the connection. */
const LIMIT_MS = 45_000;
const PAUSE_MS = 10;

/**
 * Sends hostile bytes on a new connection and reads to the end.
 *
 * @param from the client's address, one of 127.0.0.0/8
 */
export function sendHostile(port: number, from: string, { pieces, reads }: HostileConnection): Promise<Received> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const received: Buffer[] = [];
    let ended = true;
    socket.on('data', (data) => received.push(data));
    // A reset by the server is a valid response too.
    socket.on('error', () => undefined);
    const finish = setTimeout(() => socket.end(), PATIENCE_MS);
    const limit = setTimeout(() => {
      ended = false;
      socket.destroy();
    }, LIMIT_MS);
    socket.on('close', () => {
      clearTimeout(finish);
      clearTimeout(limit);
      const text = Buffer.concat(received).toString('latin1');
      resolve({ text, statuses: statusesIn(text), ended });
    });
    socket.on('connect', () => write(socket, pieces, reads));
  });
}

function write(socket: Socket, [piece, ...others]: readonly Buffer[], reads: boolean): void {
  if (piece === undefined || socket.destroyed) return;
  socket.write(piece, () => {
    if (others.length > 0) setTimeout(() => write(socket, others, reads), PAUSE_MS);
    else if (!reads) socket.destroy();
  });
}

function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status));
}
