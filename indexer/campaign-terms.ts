import type { Creative } from '../models/schema/creative.js';
import { decimal } from '../models/text/money.js';
import { drawTable, type DrawTableOptions } from '../platform/command-line/draw-table.js';
import { printable } from '../platform/text/printable.js';

/** How many rows a summary shows without --verbose. */
const LISTED = 50;

/**
 * Returns a table of what each campaign of a feed pays, as the indexer read it, so that a misplaced decimal point is
 * noticed before it is billed. New and changed terms come first. Free creatives without a campaign are only counted.
 *
 * @param before the source's live rows before the run
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
  const rows = shown.map(([, { creative, count }]) => {
    const { advertiser, campaign, budgetMicros, dailyBudgetMicros } = creative;
    const names = [printable(advertiser ?? '–', WIDTH), printable(campaign ?? '– (each by itself)', WIDTH)];
    return [...names, count.toLocaleString('en'), price(creative), limit(budgetMicros), limit(dailyBudgetMicros)];
  });
  const more = all.length - shown.length;
  return [
    ...(all.length === 0
      ? []
      : [
          `What campaigns pay by this feed, in ${currency} (npm run campaigns lists what was changed or paused since):`,
          drawTable(TERMS, rows),
        ]),
    ...(more === 0 ? [] : [`… and ${more.toLocaleString('en')} more (all with --verbose)`]),
    ...(free === 0 ? [] : [`Creatives without a campaign, price or budget: ${free.toLocaleString('en')}`]),
  ];
}

const TERMS: DrawTableOptions = {
  head: ['advertiser', 'campaign', 'ads', 'price', 'budget', 'a day'],
  colAligns: ['left', 'left', 'right', 'right', 'right', 'right'],
};

/** A price this many times as high as usual is more often a mistake, or an offer that nobody intends to pay. */
const OUTLIER = 100;
/** With fewer campaigns of a pricing model there is no usual price. */
const COMPARED = 5;
const NAMED = 5;

/**
 * Names the campaigns of a feed that pay far more than usual, since such an ad wins against every ad of almost equal
 * relevance.
 *
 * @param creatives of the feed
 * @param catalogue of all sources, with the feed's
 */
export function describeHighPrices(
  creatives: readonly Creative[],
  catalogue: readonly Creative[],
  currency: string,
): string[] {
  const all = [...groups(catalogue).values()].map((group) => group.creative);
  return (['cpc', 'cpm'] as const).flatMap((model) => {
    const prices = all.flatMap(({ pricing }) => (pricing?.model === model ? [pricing.micros] : []));
    const median = prices.toSorted((one, other) => one - other)[Math.floor((prices.length - 1) / 2)] ?? 0;
    if (prices.length < COMPARED || median === 0) return [];
    const high = [...groups(creatives).values()]
      .map((group) => group.creative)
      .filter(({ pricing }) => pricing?.model === model && pricing.micros > OUTLIER * median);
    if (high.length === 0) return [];
    const named = high
      .slice(0, NAMED)
      .map((creative) => `${printable(creative.campaign ?? creative.id, WIDTH)} ${price(creative)}`);
    const more = high.length - named.length;
    return [
      `Far above the usual ${amount(median)} ${currency}: ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}. ` +
        'Is that meant? Such ads win against all that are almost as relevant.',
    ];
  });
}

/** Returns whether a creative has a price or a budget. */
function isLimited({ pricing, budgetMicros, dailyBudgetMicros }: Creative): boolean {
  return pricing !== null || budgetMicros !== null || dailyBudgetMicros !== null;
}

const WIDTH = 40;

interface Group {
  readonly creative: Creative;
  readonly count: number;
}

/** Groups creatives by campaign and terms. */
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

/** Formats an amount with all its decimals, at least two. */
function amount(micros: number): string {
  return decimal(BigInt(micros), 2);
}
