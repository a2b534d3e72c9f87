/** Faults besides kills. `running-faults.ts` and `starting-faults.ts` describe each. */
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
