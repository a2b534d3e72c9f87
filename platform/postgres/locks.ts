/**
 * First number of most of Adjacent's advisory locks; the second one identifies the lock. All users of a database share
 * the numbers of advisory locks.
 */
export const ADJACENT_LOCKS = 0x41444a;

/** The second number of each lock. */
export const LOCKS = {
  /** Held during a schema migration. */
  migration: 0,
  /** Shared by writers of events; held exclusively by a process that needs the ledger to itself. */
  ledger: 1,
  /** Held by the one process of all nodes that may publish. */
  catalogue: 2,
  /** Held by the one process of all nodes that writes vector tables. */
  vectors: 3,
  /** Held by the one server of all nodes that prunes the ledger, for as long as it is connected. */
  pruning: 4,
} as const;

/**
 * First number of the locks that servers hold. Each server that counts events holds one for as long as it is
 * connected; the second number is its slot.
 */
export const SERVER_LOCKS = 0x41444b;

/**
 * The first of the account locks, in PostgreSQL's separate space of locks with a single number. They are held while an
 * account's limits are checked. Below 2^53, because JavaScript cannot distinguish larger neighbouring numbers.
 */
export const FIRST_ACCOUNT_LOCK = 0x41444a_000000;
