import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetworkOf, isPrivate } from '../domain/network.js';
import { createNetworkShares } from '../domain/network-shares.js';
import { limitPieces } from './body/limit-pieces.js';

/** Limits on the connections that one network, and all clients together, may hold open. */
export interface HttpConnectionLimits {
  /** Max connections in total; further ones are closed at once. */
  readonly connections: number;
  /**
   * Max connections per network; a site may hold four times as many. Null: no limit, since a proxy opens all of them.
   */
  readonly connectionsPerNetwork: number | null;
  /** Max requests that a connection may pipeline while one is being answered; one more closes the connection. */
  readonly requestsAhead: number;
  /** Max time to produce and deliver a response, in milliseconds. */
  readonly responseMs: number;
}

export const CONNECTION_LIMITS: HttpConnectionLimits = {
  connections: 4096,
  connectionsPerNetwork: 256,
  requestsAhead: 16,
  responseMs: 300_000,
};

/** Max length of the rest of a body that arrives after its request was answered. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Idle connections are closed once this share of the limit is in use. */
const NEARLY_FULL = 0.9;
const SWEEP_MS = 1000;

/**
 * Enforces the limits on a server's connections. Private addresses have no limit per network, since a proxy may be
 * behind one.
 */
export function limitConnections(server: Server, { connections, connectionsPerNetwork }: HttpConnectionLimits): void {
  const shares = createNetworkShares(connectionsPerNetwork ?? Infinity);
  let all = 0;
  let sweptAt = 0;
  server.maxConnections = connections;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const release = isPrivate(address) ? () => undefined : shares.take(clientNetworkOf(address), 1);
    if (release === null) {
      socket.destroy();
      return;
    }
    all++;
    socket.once('close', () => {
      all--;
      release();
    });
    const now = Date.now();
    if (all < connections * NEARLY_FULL || now - sweptAt < SWEEP_MS) return;
    sweptAt = now;
    server.closeIdleConnections();
  });
}

/**
 * Handles the requests of a connection one at a time, each in a turn of the event loop after the previous response was
 * sent. However many requests a client pipelines without reading, only one response is in memory. Nothing more is read
 * from the socket while requests wait.
 */
export function oneResponseAtATime(
  listener: RequestListener,
  { requestsAhead, responseMs }: Pick<HttpConnectionLimits, 'requestsAhead' | 'responseMs'>,
): RequestListener {
  /** Requests that wait for the current response of their connection. */
  const lines = new WeakMap<Socket, (() => void)[]>();
  const goOn = (socket: Socket): void => {
    if (socket.destroyed) return;
    const line = lines.get(socket);
    const next = line?.shift();
    if (next === undefined) lines.delete(socket);
    else next();
    if (line?.length === 0) socket.resume();
  };
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const answer = (): void => {
      const limit = setTimeout(() => socket.destroy(), responseMs);
      // Before Node's own listener, which would read the rest of a body without any limit.
      response.prependOnceListener('finish', () => {
        if (request.complete) return;
        limitPieces(request, MAX_UNREAD_BYTES);
        request.resume();
      });
      response.once('close', () => {
        clearTimeout(limit);
        // A quick response may be sent while Node still parses what it has read, up to 2 MiB in one turn. Then thousands
        // of requests would be handled in that turn, none of them ahead of another.
        setImmediate(goOn, socket);
      });
      listener(request, response);
    };
    const line = lines.get(socket);
    if (line === undefined) {
      lines.set(socket, []);
      answer();
    } else if (line.length < requestsAhead) {
      line.push(answer);
      socket.pause();
    } else cut(socket);
  };
}

/**
 * Closes a connection and stops the parser within the bytes that it is parsing. 64 KiB hold 1,700 requests, and without
 * this Node would create those of every connection before the first connection is gone. Access to the parser is an
 * undocumented Node internal; returning 2 tells it that the rest is not HTTP.
 */
function cut(socket: Socket & { readonly parser?: { onIncoming?: () => number } | null }): void {
  const { parser } = socket;
  socket.destroy();
  if (parser) parser.onIncoming = () => 2;
}
