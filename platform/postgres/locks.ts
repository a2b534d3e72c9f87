/**
 * Advisory locks are numbers that all users of a database share. Most of Adjacent's have two: this one, and which it is.
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
  /** Held by the one process of all nodes that writes tables of vectors. */
  vectors: 3,
} as const;

/** Each server that counts events holds one of these for as long as it is connected; the second number is its slot. */
export const SERVER_LOCKS = 0x41444b;

/**
 * From this number on, in PostgreSQL's space of locks with one number: accounts whose limits are looked at. Below 2^53, since a
 * larger number and its neighbours are one and the same in JavaScript.
 */
export const FIRST_ACCOUNT_LOCK = 0x41444a_000000;
