/** SQLSTATE: five characters, a digit among them; the operating system's `EPIPE` has none. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** With these the server ends the connection: the way to it, its own end, the database's, a session or transaction of which nothing was heard. */
const ENDING = /^(08...|57P0[1-5]|25P0[34])$/;

/**
 * Whether an error of a statement says that its connection is of no more use: what it held is ended by the server, and an answer
 * would be waited for in vain. By SQLSTATE, since the severity is in the language of the server's messages (`lc_messages`).
 */
export function isConnectionLost(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code !== 'string' || !SQLSTATE.test(code) || ENDING.test(code);
}
