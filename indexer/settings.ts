import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { BUNDLED_MODEL } from '../models/encoder/profile.js';
import { canonicalTimeZone } from '../models/time/calendar.js';

/** The settings that the indexer shares with the server; the root README has the table of all. */
export interface IndexerSettings {
  readonly dataDir: string;
  readonly timeZone: string;
  readonly model: string;
  readonly workers: number;
  readonly clickWindowMs: number;
}

/** Flags that stand for settings: `--data-dir` is `DATA_DIR`. */
export const SETTING_FLAGS = ['data-dir', 'time-zone', 'model', 'workers', 'click-days'] as const;

type Values = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from flags, before the environment, before the defaults.
 *
 * @throws SettingsError naming everything that is wrong
 */
export function readSettings(flags: Values, env: Values): IndexerSettings {
  const problems: string[] = [];
  const text = (flag: string): string | undefined => {
    const name = flag.toUpperCase().replaceAll('-', '_');
    return (flags[flag] ?? env[name])?.trim() || undefined;
  };
  const whole = (flag: string, fallback: number, most: number): number => {
    const given = text(flag);
    const value = given === undefined ? fallback : /^\d{1,9}$/.test(given) ? Number(given) : NaN;
    if (!(value >= 1 && value <= most))
      problems.push(`--${flag} must be a whole number from 1 to ${most}, not “${given}”`);
    return value;
  };
  const timeZone = text('time-zone') ?? 'UTC';
  if (canonicalTimeZone(timeZone) === undefined)
    problems.push(`--time-zone must be an IANA time zone such as Europe/Berlin, not “${timeZone}”`);
  const settings = {
    dataDir: path.resolve(text('data-dir') ?? 'data'),
    timeZone,
    model: text('model') ?? BUNDLED_MODEL,
    workers: whole('workers', Math.min(4, availableParallelism()), 256),
    clickWindowMs: whole('click-days', 30, 30) * 24 * 3_600_000,
  };
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return settings;
}

/** The process's environment over the file `.env` of the working directory. */
export function environment(file = '.env'): Values {
  return { ...(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}), ...process.env };
}

/** Settings or arguments that cannot be used: exit code 2. */
export class SettingsError extends Error {}
