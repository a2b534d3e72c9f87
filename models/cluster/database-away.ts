/** Of the connection: refused, lost, or without an answer; by the network's codes and PostgreSQL's. */
const CODES = /^(E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)|08|57P0)/;
/** Of pg, whose errors of its own have no code. */
const MESSAGES = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout)/;

/** Whether an error says that the database cannot be reached now, and not that it refuses something. */
export function isDatabaseAway(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return CODES.test(code ?? '') || MESSAGES.test(message);
}
