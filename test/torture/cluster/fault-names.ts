/** Faults of several nodes. `cluster-faults.ts` describes each. */
export const CLUSTER_FAULT_NAMES = [
  'kill',
  'pause',
  'database-fast',
  'database-immediate',
  'proxy',
  'link',
  'dark-link',
] as const;

export type ClusterFaultName = (typeof CLUSTER_FAULT_NAMES)[number];
