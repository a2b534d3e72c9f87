import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pricing } from '../../../models/schema/creative.js';

/** One advertiser with one campaign and one creative in each version of the catalogue. */
interface Topic {
  readonly name: string;
  readonly campaign: string | null;
  readonly model: Pricing['model'];
  /** The price of the first version. */
  readonly micros: number;
  readonly budgetMicros?: number;
  readonly dailyBudgetMicros?: number;
  readonly text: string;
  readonly asked: string;
}

/** One topic per kind of payment and budget. */
const TOPICS: readonly Topic[] = [
  {
    name: 'ski',
    campaign: 'Winter',
    model: 'cpm',
    micros: 5_000_000,
    text: 'Ski holidays in the alps for beginners, lessons included.',
    asked: 'planning a ski trip with two beginners, where should we go?',
  },
  {
    name: 'budgeting',
    campaign: 'Saver',
    model: 'cpm',
    micros: 9_000_000,
    budgetMicros: 400_000,
    text: 'Keep track of your spending with a budgeting app that needs a minute a day.',
    asked: "I can't keep track of my spending, what helps?",
  },
  {
    name: 'kitchen',
    campaign: 'Kitchens',
    model: 'cpc',
    micros: 350_000,
    text: 'A new kitchen, planned with you and built in three weeks.',
    asked: 'we are planning a new kitchen, how much will it cost?',
  },
  {
    name: 'tyres',
    campaign: 'Grip',
    model: 'cpc',
    micros: 120_000,
    dailyBudgetMicros: 700_000,
    text: 'Winter tyres, fitted while you wait, at 300 garages.',
    asked: 'do I need winter tires this early?',
  },
  {
    // So large compared with its price that nodes share it until little is left.
    name: 'bikes',
    campaign: 'Rides',
    model: 'cpm',
    micros: 4_000_000,
    budgetMicros: 2_000_000,
    text: 'Electric bicycles that carry two children up a hill.',
    asked: 'which e-bike is good for hills and children?',
  },
  {
    name: 'spa',
    campaign: null,
    model: 'cpm',
    micros: 3_000_000,
    budgetMicros: 40_000,
    text: 'An hour of massage, booked for today.',
    asked: 'I need a relaxing massage',
  },
];

/** The contexts that callers send. */
export const CONTEXTS: readonly string[] = TOPICS.map(({ asked }) => `User: ${asked}`);

/** Campaigns with a total budget, which commands change. */
export const BUDGETED: readonly string[] = TOPICS.flatMap(({ campaign, budgetMicros }) =>
  campaign !== null && budgetMicros !== undefined ? [campaign] : [],
);

/** What is known of a creative from its id alone. The id contains the catalogue version, which determines the price. */
export interface Known {
  readonly creative: string;
  readonly campaign: string | null;
  readonly advertiser: string;
  readonly model: Pricing['model'];
  /** What an impression (cpm) or a click (cpc) costs, in micros. */
  readonly eventMicros: number;
  /** From the feed; null if there is none. */
  readonly budgetMicros: number | null;
  readonly dailyBudgetMicros: number | null;
}

/** @throws Error for a creative that is in no version of the catalogue */
export function knownOf(creative: string): Known {
  const [name, version] = creative.split('-v');
  const topic = TOPICS.find((each) => each.name === name);
  if (topic === undefined) throw new Error(`${creative} is in no version of the catalogue`);
  const micros = priceOf(topic, Number(version));
  return {
    creative,
    campaign: topic.campaign,
    advertiser: `The ${topic.name} people`,
    model: topic.model,
    eventMicros: topic.model === 'cpm' ? micros / 1000 : micros,
    budgetMicros: topic.budgetMicros ?? null,
    dailyBudgetMicros: topic.dailyBudgetMicros ?? null,
  };
}

/** Returns the terms of a campaign, or of a creative without one. */
export function knownOfAccount(account: string): Known {
  const topic = TOPICS.find(({ campaign }) => campaign === account);
  return knownOf(topic === undefined ? account : `${topic.name}-v1`);
}

/**
 * Writes a feed. Each version has different creatives at different prices.
 *
 * @returns the path of the feed
 */
export function writeFeed(folder: string, version: number): string {
  const rows = TOPICS.map((topic) => {
    const { name, campaign, model, text, budgetMicros, dailyBudgetMicros } = topic;
    return {
      id: `${name}-v${version}`,
      name: `The ${name} offer`,
      text,
      landingUrl: `https://${name}.example/v${version}`,
      advertiser: `The ${name} people`,
      pricing: { model, micros: priceOf(topic, version) },
      ...(campaign === null ? {} : { campaign }),
      ...(budgetMicros === undefined ? {} : { budgetMicros }),
      ...(dailyBudgetMicros === undefined ? {} : { dailyBudgetMicros }),
    };
  });
  const file = join(folder, `feed-${version}.jsonl`);
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return file;
}

function priceOf({ micros }: Topic, version: number): number {
  return micros + 1000 * (version % 7) * 10;
}
