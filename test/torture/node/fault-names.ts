/** What may go wrong beside kills. Each is described where it is made. */
export const FAULT_NAMES = [
  'stop',
  'lock',
  'full-disk',
  'read-only',
  'damage',
  'clock',
  'clock-back',
  'ledger-thread',
  'encoder-thread',
] as const;

export type FaultName = (typeof FAULT_NAMES)[number];
