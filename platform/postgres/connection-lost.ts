/** A SQLSTATE: five characters with at least one digit. The operating system's `EPIPE` has none. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/**
 * Codes with which the server ends a connection: connection failures, a shutdown of the server, a dropped database, or
 * an idle session or transaction that timed out.
 */
const ENDING = /^(08...|57P0[1-5]|25P0[34])$/;

/**
 * Returns whether an error means that the connection is unusable: the server has released what it held, and no further
 * query would be answered. It goes by SQLSTATE, because the severity is in the language of the server's messages
 * (`lc_messages`).
 */
export function isConnectionLost(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code !== 'string' || !SQLSTATE.test(code) || ENDING.test(code);
}
