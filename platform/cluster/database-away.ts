/** SQLSTATE of a server that only reads, as one does that another has taken over from. */
const READS_ONLY = '25006';
/** Of the connection: refused, lost, without an answer, or to such a server; by the network's codes and PostgreSQL's. */
const CODES = new RegExp(`^(E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)|08|57P0|${READS_ONLY})`);
/** Of pg, whose errors of its own have no code. */
const MESSAGES = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout)/;

/** `DATABASE_URL` leads to a server in recovery: what it says may be old, and it takes no change. */
export class InRecoveryError extends Error {
  override readonly name = 'InRecoveryError';
  readonly code = READS_ONLY;
  constructor() {
    super('DATABASE_URL leads to a server in recovery: a replica, or one that another server has taken over from');
  }
}

/** Whether an error is a server's that only reads: its connection must not be used again, since the next may lead to one that writes. */
export function isOfReader(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === READS_ONLY;
}

/** Whether an error says that the database cannot be reached or written now, and not that it refuses something. */
export function isDatabaseAway(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return CODES.test(code ?? '') || MESSAGES.test(message);
}
