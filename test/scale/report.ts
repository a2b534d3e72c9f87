import type { Inputs } from './inputs.js';
import { planScale, type ScalePlan } from './installations.js';
import { simulatePlannedDatabase, simulatePlannedNode } from './simulate-plan.js';

/** Returns Markdown tables of the plan, of the limits, and of the simulations of nodes and databases. */
export function report(inputs: Inputs): string {
  const plans = inputs.workloads.map((workload) => planScale(inputs, workload));
  return [planTable(inputs, plans), breaksTable(plans), nodesTable(inputs, plans), databasesTable(inputs, plans)].join(
    '\n\n',
  );
}

function planTable({ machines }: Inputs, plans: readonly ScalePlan[]): string {
  const { currency } = machines.prices;
  const row = (name: string, value: (plan: ScalePlan) => string) => [name, ...plans.map(value)];
  return table(
    ['matches a second, in the busiest minute', ...plans.map(({ workload }) => workload.name)],
    [
      row('creatives · campaigns · publishers', ({ workload: { creatives, campaigns, publishers } }) =>
        [creatives, campaigns, publishers].map(whole).join(' · '),
      ),
      row('nodes: without spare · bound by', ({ one }) => `${whole(one.nodes.nodes)} · ${one.nodes.boundBy}`),
      row('matches a second per node, outside bursts', ({ one }) => figure(one.nodes.capacity)),
      row('memory of a node', ({ one }) => `${figure(one.nodes.memoryBytes / 1e9)} GB`),
      row('events a second in a burst', ({ one }) => whole(one.database.eventsASecond)),
      row('**all in one installation**: cores of PostgreSQL busy', ({ one }) => figure(one.database.coresBusy)),
      row('· its log', ({ one }) => `${figure(one.database.logBytesASecond / 1e6)} MB/s`),
      row('· connections', ({ one }) => whole(one.database.connections)),
      row('· disk after a year', ({ one }) => `${figure(one.database.diskBytes / 1e12)} TB`),
      row('**several, each within all limits**: installations', ({ installations }) => whole(installations)),
      row('· nodes of each, spare ones included', ({ each }) => whole(each.nodes.nodes + each.nodes.spare)),
      row('· nodes in all', ({ totals }) => whole(totals.nodes)),
      row(
        '· cores · memory of nodes',
        ({ totals }) => `${whole(totals.nodeCores)} · ${figure(totals.memoryBytes / 1e12)} TB`,
      ),
      row('· cores of all PostgreSQL', ({ totals }) => whole(totals.databaseCores)),
      row('· disks after a year', ({ totals }) => `${figure(totals.diskBytes / 1e12)} TB`),
      row('· traffic out, in a burst', ({ totals }) => `${figure(totals.trafficBitsASecond / 1e9)} Gbit/s`),
      row(`**${currency} a month**, by the prices assumed`, ({ totals }) => whole(totals.aMonth)),
      row('· nodes · databases · disks · traffic', ({ totals: { parts } }) =>
        [parts.nodes, parts.databases, parts.disks, parts.traffic].map(whole).join(' · '),
      ),
      row(`${currency} a million matches`, ({ totals }) => figure(totals.aMillion)),
    ],
  );
}

function breaksTable(plans: readonly ScalePlan[]): string {
  const names = plans[0]!.breaks.map(({ name, remedy }) => ({ name, remedy }));
  const until = (plan: ScalePlan, name: string): string => {
    const found = plan.breaks.find((each) => each.name === name)!;
    return Number.isFinite(found.until) ? whole(found.until) : 'any';
  };
  const catalogue = plans[0]!.one.limits.filter(({ byCatalogue }) => byCatalogue);
  return table(
    [
      'one installation holds until, matches a second',
      ...plans.map(({ workload }) => `with ${workload.name}’s catalogue`),
      'then',
    ],
    [
      ...names.map(({ name, remedy }) => [name, ...plans.map((plan) => until(plan, name)), remedy]),
      ...catalogue.map(({ name, remedy }) => {
        const figures = plans.map(({ one }) => one.limits.find((limit) => limit.name === name)!);
        return [name, ...figures.map(({ figures: text, use }) => (use > 1 ? `**${text}**` : text)), remedy];
      }),
    ],
  );
}

/** As planned, and with fewer nodes. */
const SIZES = [1, 0.8, 0.6] as const;

function nodesTable(inputs: Inputs, plans: readonly ScalePlan[]): string {
  const rows = plans.flatMap(({ workload, one }) =>
    SIZES.map((times) => {
      const { p50, p99, refused, waiting, encoderBusy, loopBusy } = simulatePlannedNode(inputs, one, times);
      const nodes = `${workload.name}: ${times === 1 ? 'as planned' : `${(100 - 100 * times).toFixed(0)} % fewer nodes`}`;
      return [nodes, ms(p50), ms(p99), percent(refused), figure(waiting), percent(encoderBusy), percent(loopBusy)];
    }),
  );
  return table(['a node, simulated', 'p50', 'p99', '503', 'wait, mean', 'encoders busy', 'event loop busy'], rows);
}

function databasesTable(inputs: Inputs, plans: readonly ScalePlan[]): string {
  const rows = plans.flatMap(({ workload, one, each }) => {
    const cores = Math.max(2, Math.ceil(each.database.coresBusy / 0.6));
    const simulated = (name: string, plan: typeof one, size: number, deletes = true) => {
      const result = simulatePlannedDatabase(inputs, plan, size, deletes);
      const { p50, p99, waitingHalfWay, waiting, waitingForLocks, coresBusy } = result;
      return [
        `${workload.name}: ${name}`,
        `${plan.nodes.nodes + plan.nodes.spare} · ${size}`,
        ms(p50),
        ms(p99),
        `${whole(waitingHalfWay)} → ${whole(waiting)}`,
        percent(waitingForLocks),
        percent(coresBusy / size),
      ];
    };
    const all = one.nodes.nodes + one.nodes.spare;
    const largest = inputs.machines.database.cores;
    return [
      simulated('one of the installations', each, cores),
      ...(cores > 1 ? [simulated('with half of the cores', each, Math.floor(cores / 2))] : []),
      ...(all <= MOST_NODES ? [simulated('all in one', one, largest)] : []),
      ...(all <= MOST_NODES ? [simulated('all in one, nothing to delete', one, largest, false)] : []),
    ];
  });
  const waiting = 'events not yet durable, half way → at the end';
  return table(
    ['PostgreSQL in a burst, simulated', 'nodes · cores', 'p50', 'p99', waiting, 'waiting for locks', 'cores busy'],
    rows,
  );
}

/** More nodes would make the simulation slow. */
const MOST_NODES = 5000;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const whole = (value: number): string => Math.round(Number(value.toPrecision(3))).toLocaleString('en');
const figure = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en');
const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 && share > 0 ? 1 : 0)} %`;
const ms = (value: number): string => (value < 10_000 ? `${figure(value)} ms` : `${figure(value / 1000)} s`);
