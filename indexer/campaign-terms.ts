import Table from 'cli-table3';
import type { Creative } from '../models/schema/creative.js';
import { decimal } from '../models/text/money.js';
import { printable } from '../platform/text/printable.js';

/** Rows that a summary shows unless all are asked for. */
const LISTED = 50;

/**
 * A table of what each campaign of a feed pays, as it was understood: a slip of the decimal point is seen here before it is
 * billed. What is new or other than before comes first; what is free and of no campaign is only counted.
 *
 * @param before what was live of the same source
 */
export function describeTerms(
  creatives: readonly Creative[],
  before: readonly Creative[],
  currency: string,
  verbose: boolean,
): string[] {
  const paying = creatives.filter((creative) => creative.campaign !== null || isLimited(creative));
  const free = creatives.length - paying.length;
  const known = new Set(groups(before).keys());
  const all = [...groups(paying)].toSorted(([one], [other]) => Number(known.has(one)) - Number(known.has(other)));
  const shown = verbose ? all : all.slice(0, LISTED);
  const table = new Table({
    head: ['advertiser', 'campaign', 'ads', 'price', 'budget', 'a day'],
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  for (const [, { creative, count }] of shown) {
    const { advertiser, campaign, budgetMicros, dailyBudgetMicros } = creative;
    const names = [printable(advertiser ?? '–', WIDTH), printable(campaign ?? '– (each by itself)', WIDTH)];
    table.push([...names, count.toLocaleString('en'), price(creative), limit(budgetMicros), limit(dailyBudgetMicros)]);
  }
  const more = all.length - shown.length;
  return [
    ...(all.length === 0 ? [] : [`What campaigns pay, in ${currency}:`, table.toString()]),
    ...(more === 0 ? [] : [`… and ${more.toLocaleString('en')} more (all with --verbose)`]),
    ...(free === 0 ? [] : [`${free.toLocaleString('en')} of no campaign are free and without a budget.`]),
  ];
}

/** Whether it pays, or may only spend so much. */
function isLimited({ pricing, budgetMicros, dailyBudgetMicros }: Creative): boolean {
  return pricing !== null || budgetMicros !== null || dailyBudgetMicros !== null;
}

const WIDTH = 40;

interface Group {
  readonly creative: Creative;
  readonly count: number;
}

/** Creatives of one campaign and terms, by both. */
function groups(creatives: readonly Creative[]): Map<string, Group> {
  const found = new Map<string, Group>();
  for (const creative of creatives) {
    const { advertiser, campaign, pricing, budgetMicros, dailyBudgetMicros } = creative;
    const key = JSON.stringify([advertiser, campaign, pricing, budgetMicros, dailyBudgetMicros]);
    found.set(key, { creative, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return found;
}

function price({ pricing }: Creative): string {
  if (pricing === null) return 'free';
  return `${amount(pricing.micros)} ${pricing.model === 'cpm' ? 'per 1,000 impressions' : 'per click'}`;
}

function limit(micros: number | null): string {
  return micros === null ? 'no limit' : amount(micros);
}

/** With as many decimals as it has, two at least. */
function amount(micros: number): string {
  return decimal(BigInt(micros), 2);
}
