/**
 * Most turns of a conversation that are read, the newest ones. Encoders read about a hundred and the gate 300, but every
 * turn costs the event loop a few microseconds, and 256 KiB may hold ten thousand.
 */
export const MAX_TURNS = 1000;
