/** What may go wrong with several nodes. Each is described where it is made. */
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
