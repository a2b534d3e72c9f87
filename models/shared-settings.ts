import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { databaseUrl } from '../platform/command-line/database-url.js';
import { SettingError, type Setting, wholeNumber } from '../platform/command-line/settings.js';
import {
  LANGUAGE_CHOICES,
  type LanguageChoice,
  type ModelSettings,
  type ProfileName,
  PROFILES,
} from './encoder/profile.js';
import { canonicalTimeZone } from '../platform/time/calendar.js';
import { DAY } from '../platform/time/durations.js';

/** Settings that the server and the indexer share. */
export interface SharedConfig extends ModelSettings {
  readonly dataDir: string;
  /** PostgreSQL shared by several nodes. Null: everything is in DATA_DIR. */
  readonly databaseUrl: string | null;
  /** IANA time zone for days, and for dates without a time. */
  readonly timeZone: string;
  /** ISO 4217 code of all money. */
  readonly currency: string;
  /** Encoder threads. */
  readonly workers: number;
  /**
   * How long after its decision a click counts, in milliseconds. Retired signing keys and landing pages last 30 days.
   */
  readonly clickWindowMs: number;
}

const defaultWorkers = (): number => Math.min(4, availableParallelism());

export const SHARED_SETTINGS = {
  WORKERS: { name: 'WORKERS', key: 'workers', read: (text) => wholeNumber(text, defaultWorkers(), 1, 256) },
  DATA_DIR: { name: 'DATA_DIR', key: 'dataDir', read: (text) => resolve(text ?? 'data') },
  DATABASE_URL: { name: 'DATABASE_URL', key: 'databaseUrl', read: databaseUrl },
  CURRENCY: { name: 'CURRENCY', key: 'currency', read: currency },
  TIME_ZONE: { name: 'TIME_ZONE', key: 'timeZone', read: timeZone },
  PROFILE: { name: 'PROFILE', key: 'profile', read: profile },
  LANGUAGES: { name: 'LANGUAGES', key: 'languages', read: languages },
  MODEL: { name: 'MODEL', key: 'model', read: (text) => text ?? null },
  CLICK_DAYS: { name: 'CLICK_DAYS', key: 'clickWindowMs', read: (text) => wholeNumber(text, 30, 1, 30) * DAY },
} as const satisfies Readonly<Record<string, Setting<SharedConfig>>>;

function profile(text = 'quality'): ProfileName {
  if (Object.hasOwn(PROFILES, text)) return text as ProfileName;
  throw new SettingError(`must be one of ${Object.keys(PROFILES).join(', ')}, not "${text}"`);
}

function languages(text = 'all'): LanguageChoice {
  const found = LANGUAGE_CHOICES.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw new SettingError(`must be one of ${LANGUAGE_CHOICES.join(', ')}, not "${text}"`);
}

function timeZone(text = 'UTC'): string {
  const name = canonicalTimeZone(text);
  if (name !== undefined) return name;
  throw new SettingError(`must be an IANA time zone such as UTC or Europe/Berlin, not "${text}"`);
}

function currency(text = 'USD'): string {
  if (Intl.supportedValuesOf('currency').includes(text)) return text;
  throw new SettingError(`must be an ISO 4217 code such as USD or EUR, not "${text}"`);
}
