/**
 * Advisory locks are numbers that all users of a database share. Adjacent's have two: this one, and which it is.
 * A third kind, of one 64-bit number, is PostgreSQL's own space; `ledger/` uses it for accounts.
 */
export const ADJACENT_LOCKS = 0x41444a;

/** The second number of each lock. */
export const LOCKS = {
  /** Held while the schema is brought up to date. */
  migration: 0,
  /** Shared by who writes events, held alone by who must have the ledger to himself. */
  ledger: 1,
  /** Held by the one process of all nodes that may publish. */
  catalogue: 2,
} as const;
