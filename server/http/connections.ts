import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { callerNetworkOf, isPrivate } from '../domain/network.js';
import { createNetworkShares } from '../domain/network-shares.js';

/** What one caller, and all together, may hold open. */
export interface ConnectionLimits {
  /** Connections altogether; more are closed at once. */
  readonly connections: number;
  /** Connections of one network, and a site has four times as many; null: any number, since a proxy in front opens them. */
  readonly connectionsPerNetwork: number | null;
  /** Requests that a connection may send ahead while one is answered; with one more it is cut. */
  readonly requestsAhead: number;
  /** How long an answer may take to be made and fetched, in milliseconds. */
  readonly answerMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 4096,
  connectionsPerNetwork: 256,
  requestsAhead: 16,
  answerMs: 300_000,
};

/** Idle connections give way where so much of the limit is open. */
const NEARLY_FULL = 0.9;
const SWEEP_MS = 1000;

/** Holds a server's connections to the limits. Private addresses have no limit of their own: a proxy may be behind one. */
export function limitConnections(server: Server, { connections, connectionsPerNetwork }: ConnectionLimits): void {
  const shares = createNetworkShares(connectionsPerNetwork ?? Infinity);
  let all = 0;
  let sweptAt = 0;
  server.maxConnections = connections;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const giveBack = isPrivate(address) ? () => undefined : shares.take(callerNetworkOf(address), 1);
    if (giveBack === null) {
      socket.destroy();
      return;
    }
    all++;
    socket.once('close', () => {
      all--;
      giveBack();
    });
    const now = Date.now();
    if (all < connections * NEARLY_FULL || now - sweptAt < SWEEP_MS) return;
    sweptAt = now;
    server.closeIdleConnections();
  });
}

/**
 * Answers the requests of one connection one after another, each once the one before was sent: however many are sent
 * ahead by a caller that never reads, one answer is in memory. While some wait, nothing more is read.
 */
export function inTurn(
  listener: RequestListener,
  { requestsAhead, answerMs }: Pick<ConnectionLimits, 'requestsAhead' | 'answerMs'>,
): RequestListener {
  /** Of connections with an answer under way, the requests that wait for its end. */
  const lines = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const answer = (): void => {
      const limit = setTimeout(() => socket.destroy(), answerMs);
      response.once('close', () => {
        clearTimeout(limit);
        if (socket.destroyed) return;
        const line = lines.get(socket);
        const next = line?.shift();
        if (next === undefined) lines.delete(socket);
        else next();
        if (line?.length === 0) socket.resume();
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
 * Closes a connection, and has the parser stop within the bytes that it is reading: 64 KiB hold 1,700 requests, and those
 * of every connection would be made before the first of them is gone. The way to the parser is Node's own, and not in its
 * documentation; 2 is its word for "the rest is no HTTP".
 */
function cut(socket: Socket & { readonly parser?: { onIncoming?: () => number } | null }): void {
  const { parser } = socket;
  socket.destroy();
  if (parser) parser.onIncoming = () => 2;
}
