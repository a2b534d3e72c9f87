/** SQLSTATE of a read-only server, for example one that another server has replaced in a failover. */
const READ_ONLY = '25006';
/**
 * Codes of the network and of PostgreSQL for a connection that was refused (also for a changed password, or because the
 * server has no more connections) or lost, timed out, or leads to a read-only server.
 */
const CODES = new RegExp(`^(E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)|08|28|53300|57P0|${READ_ONLY})`);
/** Messages of errors that pg itself raises, which have no code. */
const MESSAGES = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout)/;

/** `DATABASE_URL` leads to a server in recovery: its data may be outdated, and it accepts no writes. */
export class InRecoveryError extends Error {
  override readonly name = 'InRecoveryError';
  readonly code = READ_ONLY;
  constructor() {
    super('DATABASE_URL leads to a server in recovery: a replica, or one that another server has taken over from');
  }
}

/**
 * Returns whether an error shows that the server is read-only. The connection must not be reused: a new one may reach a
 * server that accepts writes.
 */
export function isReadOnlyError(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === READ_ONLY;
}

/**
 * Returns whether an error means that the database cannot be reached or written at the moment, as opposed to an error
 * of the statement itself.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return CODES.test(code ?? '') || MESSAGES.test(message);
}
