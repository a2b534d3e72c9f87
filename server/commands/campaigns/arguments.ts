import { FLAG, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import type { FrequencyCap, Pricing } from '../../../models/schema/creative.js';
import { readMomentOrDuration } from '../../../platform/time/moment.js';
import type { CampaignChange } from '../../campaigns/terms/set-terms.js';
import type { Config } from '../../config/config.js';
import { readMoney } from '../../../models/text/money.js';
import { readCommand } from '../shared/read-command.js';

/** The parsed and checked command line. */
export type CampaignArguments =
  | { readonly name: 'list'; readonly json: boolean; readonly config: Config }
  | { readonly name: 'unset'; readonly campaign: string; readonly of?: string | null; readonly config: Config }
  | SetCampaign;

export interface SetCampaign {
  readonly name: 'set';
  readonly campaign: string;
  /** The campaign's advertiser in the feed; null: rows without an advertiser; absent: not given. */
  readonly of?: string | null;
  readonly change: CampaignChange;
  /** The names may be unknown. */
  readonly isNew: boolean;
  readonly config: Config;
}

const TERMS = { advertiser: TEXT, cpm: TEXT, cpc: TEXT, budget: TEXT, 'daily-budget': TEXT, cap: TEXT } as const;
const WHEN = { starts: TEXT, ends: TEXT, pacing: TEXT, pause: FLAG, resume: FLAG } as const;
const SET_OPTIONS = { ...TERMS, ...WHEN, of: TEXT, new: FLAG } as const;

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments([name, ...argv]: readonly string[], now: number): CampaignArguments {
  switch (name) {
    case 'list': {
      const { values, config } = readCommand(argv, { json: FLAG }, 0);
      return { name, json: values.json === true, config };
    }
    case 'unset': {
      const { values, positionals, config } = readCommand(argv, { of: TEXT }, 1);
      return { name, campaign: campaignName(positionals), ...ownerOf(values), config };
    }
    case 'set': {
      const { values, positionals, config } = readCommand(argv, SET_OPTIONS, 1);
      const campaign = campaignName(positionals);
      const change = changeOf(values, (text) => momentOf(text, config.timeZone, now));
      if (Object.keys(change).length === 0) throw new UsageError('nothing to set');
      return { name, campaign, ...ownerOf(values), change, isNew: values.new === true, config };
    }
    default:
      throw new UsageError(name === undefined ? 'a command is missing' : `${name} is not a command`);
  }
}

type Values = ReturnType<typeof readCommand<typeof SET_OPTIONS>>['values'];

function campaignName([name]: readonly string[]): string {
  if (name === undefined || name.trim() === '') throw new UsageError('the campaign is missing');
  if (name.length > 200) throw new UsageError('the campaign must be at most 200 characters');
  return name;
}

function ownerOf({ of }: { readonly of?: string }): { readonly of?: string | null } {
  return of === undefined ? {} : { of: orNone('of', of, ADVERTISER, label) };
}

function changeOf(values: Values, moment: (text: string) => string | undefined): CampaignChange {
  const { advertiser, budget, starts, ends, cap, pacing, pause, resume } = values;
  const daily = values['daily-budget'];
  if (pause && resume) throw new UsageError('--pause and --resume exclude each other');
  if (pacing !== undefined && pacing !== 'even' && pacing !== 'asap') {
    throw new UsageError(`--pacing must be even or asap, not "${pacing}"`);
  }
  const pricing = pricingOf(values);
  const change: CampaignChange = {
    ...(advertiser === undefined ? {} : { advertiser: orNone('advertiser', advertiser, ADVERTISER, label) }),
    ...(pricing === undefined ? {} : { pricing }),
    ...(budget === undefined ? {} : { budgetMicros: orNone('budget', budget, MONEY, readMoney) }),
    ...(daily === undefined ? {} : { dailyBudgetMicros: orNone('daily-budget', daily, MONEY, readMoney) }),
    ...(starts === undefined ? {} : { startsAt: orNone('starts', starts, MOMENT, moment) }),
    ...(ends === undefined ? {} : { endsAt: orNone('ends', ends, MOMENT, moment) }),
    ...(cap === undefined ? {} : { frequencyCap: orNone('cap', cap, CAP, capOf) }),
    ...(pacing === undefined ? {} : { pacing }),
    ...(pause || resume ? { paused: pause === true } : {}),
  };
  return change;
}

const ADVERTISER = 'a name of at most 200 characters';
const MONEY = 'an amount such as 12.50, or micros such as 12500000micros';
const MOMENT = 'an RFC 3339 date-time, a date such as 2027-01-31 or a duration such as 90d';
const CAP = 'such as 3/24h: three ads within 24 hours';

/**
 * Reads a value, or `none`, which overrides the feed's value with nothing. @throws UsageError saying what was expected
 */
function orNone<T>(flag: string, text: string, expected: string, read: (text: string) => T | undefined): T | null {
  if (text === 'none') return null;
  const value = read(text);
  if (value === undefined) throw new UsageError(`--${flag} must be ${expected}, or none; not "${text}"`);
  return value;
}

function pricingOf({ cpm, cpc }: Values): Pricing | null | undefined {
  if (cpm !== undefined && cpc !== undefined) throw new UsageError('--cpm and --cpc exclude each other');
  const [model, text] = cpm === undefined ? (['cpc', cpc] as const) : (['cpm', cpm] as const);
  if (text === undefined) return undefined;
  const micros = orNone(model, text, `${MONEY}, at most 1000000.00`, readMoney);
  if (micros === null) return null;
  if (micros > 1e12) throw new UsageError(`--${model} must be at most 1000000.00`);
  if (model === 'cpm' && micros % 1000 !== 0) throw new UsageError('--cpm must be a multiple of 1,000 micros (0.001)');
  return { model, micros };
}

function capOf(text: string): FrequencyCap | undefined {
  const [, ads, hours] = /^([1-9]\d{0,4})\/(\d{1,3}(?:\.\d{1,2})?)h$/.exec(text) ?? [];
  const cap = { ads: Number(ads), hours: Number(hours) };
  return cap.ads <= 10_000 && cap.hours > 0 && cap.hours <= 720 ? cap : undefined;
}

function momentOf(text: string, timeZone: string, now: number): string | undefined {
  const moment = readMomentOrDuration(text, timeZone, now);
  return moment === undefined ? undefined : new Date(moment).toISOString();
}

function label(text: string): string | undefined {
  return text.trim() !== '' && text.length <= 200 && !/[\p{Cc}\p{Cs}]/u.test(text) ? text : undefined;
}
