/** The database cannot be used with this release; the message states why and what to do. */
export class DatabaseRefusedError extends Error {
  override readonly name = 'DatabaseRefusedError';
}
