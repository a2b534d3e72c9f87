import { table } from '../bench/table.js';
import type { Outcome } from './reconciliation/outcome.js';
import type { ClusterTortured } from './cluster/cluster-tortured.js';
import type { Tortured } from './node/tortured.js';

type Figures = readonly (readonly [name: string, figure: string | number])[];

/** Maximum number of differences printed. */
const MOST = 40;

/** Formats the result of a run for a terminal: figures and differences. */
export function summaryOf(tortured: Tortured): string {
  const first: Figures = [
    ['kills', tortured.kills],
    ['… before it served', tortured.killsAtStart],
  ];
  return summary(tortured, first, [['disk', tortured.disk]]);
}

/** Formats the result of a run of several nodes. */
export function summaryOfCluster(tortured: ClusterTortured): string {
  const first: Figures = [
    ['seed', tortured.seed],
    ['nodes', tortured.nodes],
    ['minutes', tortured.minutes.toFixed(1)],
    ['rounds of faults', tortured.rounds],
    ['starts of nodes', tortured.starts],
  ];
  const last: Figures = [
    ['events promised', tortured.promised],
    ['events over budget', tortured.overBudget],
  ];
  return summary(tortured, first, last);
}

function summary(outcome: Outcome, first: Figures, last: Figures): string {
  const { faults, replies, differences, kept } = outcome;
  const figures: Figures = [
    ...first,
    ...[...faults].map(([name, times]) => [`faults: ${name}`, times] as const),
    ['commands run meanwhile', outcome.commands],
    ['ads asked for', outcome.asked],
    ['events acknowledged', replies.acknowledged],
    ['events refused', replies.refused],
    ['events without an answer', replies.nothing],
    ['events stored', outcome.stored],
    ['billed', (outcome.micros / 1e6).toFixed(6)],
    ['books compared', outcome.comparisons],
    ...last,
    ['differences', differences.length],
  ];
  return [
    table(
      ['torture', ''],
      figures.map(([name, figure]) => [name, String(figure)]),
    ),
    ...(differences.length === 0 ? ['ledger and replies agree'] : differences.slice(0, MOST)),
    ...(differences.length > MOST ? [`… and ${differences.length - MOST} more`] : []),
    ...(kept === null ? [] : [`the data are kept in ${kept}`]),
  ].join('\n');
}
