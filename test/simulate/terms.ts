import { fileURLToPath } from 'node:url';
import type { EventKind } from '../../models/schema/event-kinds.js';
import { readJsonLines } from '../eval/set.js';

/**
 * What an event of a creative costs and what may be spent on it, as the simulation knows it independently of the
 * server.
 */
export interface Terms {
  readonly creative: string;
  readonly campaign: string | null;
  readonly advertiser: string | null;
  readonly pricing: { readonly model: 'cpm' | 'cpc'; readonly micros: number } | null;
  readonly dailyMicros: number | null;
  readonly totalMicros: number | null;
  readonly even: boolean;
}

/** A campaign that a command sets. Budgets are micros for each thousand daily events of the simulation. */
interface Campaign {
  readonly name: string;
  readonly price: readonly ['--cpm' | '--cpc', number];
  readonly daily?: number;
  readonly total?: number;
  readonly even?: boolean;
  readonly cap?: string;
}

const CAMPAIGNS: readonly Campaign[] = [
  { name: 'Cairnbank savers', price: ['--cpm', 7_200_000], daily: 11_000 },
  { name: 'Bowlington starter boxes', price: ['--cpc', 380_000], daily: 30_000, cap: '2/24h' },
  { name: 'Mileward on the road', price: ['--cpc', 1_650_000], daily: 70_000 },
  { name: 'Rebate & Reason returns', price: ['--cpc', 980_000], total: 1_300_000 },
  { name: 'Cobbet switchers', price: ['--cpc', 760_000], daily: 45_000, even: true },
  { name: 'Slumberquay 100 nights', price: ['--cpm', 4_500_000], daily: 8_000, total: 200_000, even: true },
];

/** Every budget has room for at least this many events, however small the simulation. */
const FEWEST_PAID = 3;

const feed = fileURLToPath(new URL('../../../indexer/sample/creatives.jsonl', import.meta.url));

interface FeedLine {
  readonly id: string;
  readonly campaign?: string;
  readonly advertiser?: string;
  readonly pricing?: Terms['pricing'];
}

/**
 * Returns the sample catalogue's creatives by id, with the terms of their campaigns, and the commands that set these
 * terms.
 *
 * @param eventsADay daily events of the whole simulation, to which budgets are proportional; null for no budgets
 */
export function sampleTerms(eventsADay: number | null): {
  readonly terms: ReadonlyMap<string, Terms>;
  readonly commands: readonly (readonly string[])[];
} {
  const scaled = (micros: number | undefined, [model, price]: Campaign['price']): number | null => {
    if (micros === undefined || eventsADay === null) return null;
    const least = FEWEST_PAID * (model === '--cpm' ? price / 1000 : price);
    return Math.max(least, Math.ceil((micros * eventsADay) / 1000));
  };
  const set = new Map(CAMPAIGNS.map((campaign) => [campaign.name, campaign]));
  const terms = readJsonLines<FeedLine>(feed).map(({ id, campaign, advertiser, pricing }): Terms => {
    const given = set.get(campaign ?? '');
    return {
      creative: id,
      campaign: campaign ?? null,
      advertiser: advertiser ?? null,
      pricing: given
        ? { model: given.price[0] === '--cpm' ? 'cpm' : 'cpc', micros: given.price[1] }
        : (pricing ?? null),
      dailyMicros: given ? scaled(given.daily, given.price) : null,
      totalMicros: given ? scaled(given.total, given.price) : null,
      even: given?.even === true,
    };
  });
  const commands = CAMPAIGNS.map(({ name, price, daily, total, even, cap }) => {
    const [dailyBudget, budget] = [daily, total].map((micros) => amountOf(scaled(micros, price)));
    const terms = [price[0], amountOf(price[1]), '--pacing', even ? 'even' : 'asap', '--cap', cap ?? 'none'];
    return ['set', name, ...terms, '--daily-budget', dailyBudget!, '--budget', budget!];
  });
  return { terms: new Map(terms.map((each) => [each.creative, each])), commands };
}

/** Returns the price of an event: a cpm is for a thousand impressions, a cpc for a click. */
export function priceOf({ pricing }: Terms, kind: EventKind): number {
  if (pricing?.model === 'cpm' && kind === 'impression') return pricing.micros / 1000;
  return pricing?.model === 'cpc' && kind === 'click' ? pricing.micros : 0;
}

/** Returns the account that pays: the advertiser's campaign, or the creative if it has none. */
export function accountOf({
  advertiser,
  campaign,
  creative,
}: Pick<Terms, 'advertiser' | 'campaign' | 'creative'>): string {
  return campaign === null ? `creative ${creative}` : `campaign ${campaign} of ${advertiser}`;
}

/** Formats an amount for the command. */
function amountOf(micros: number | null): string {
  return micros === null ? 'none' : `${micros}micros`;
}
