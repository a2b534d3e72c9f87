import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isReadable } from '../text/well-formed.js';

/** Texts by name: an environment, or the options of a command line. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** A setting: `DATA_DIR` in the environment, `--data-dir` as an option. */
export interface Setting<Config> {
  readonly name: string;
  /** The config field that it sets; null: it is only checked. */
  readonly key: keyof Config | null;
  /** @throws SettingError stating what was expected, without repeating secrets */
  readonly read: (text: string | undefined) => unknown;
}

/** An unusable value; the message continues the setting's name. */
export class SettingError extends Error {}

/** Unusable settings. `problems` has one sentence for each fault. A command exits with 2. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly problems: readonly string[]) {
    super(`the settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** Returns the option for a setting, without its dashes. */
export function optionOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/**
 * Reads and checks settings. Options take precedence over the environment; an empty text counts as absent.
 *
 * @param options texts by the names of `optionOf`
 * @param problems faults already found in the command line
 * @throws SettingsError naming all faults, not only the first
 */
export function readSettings<Config>(
  settings: readonly Setting<Config>[],
  options: Texts,
  env: Texts,
  problems: readonly string[] = [],
): Config {
  const config: Partial<Record<keyof Config, unknown>> = {};
  const faults = [...problems];
  for (const { name, key, read } of settings) {
    const text = (options[optionOf(name)] ?? env[name])?.trim() || undefined;
    try {
      if (text !== undefined && !isReadable(text)) throw new SettingError('holds bytes that are not UTF-8');
      const value = read(text);
      if (key !== null) config[key] = value;
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      faults.push(`${name} ${error.message}`);
    }
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return config as Config;
}

/** Returns the process's environment, merged over the `.env` file of the working directory. */
export function readEnvironment(file = '.env'): Texts {
  // Editors on Windows write a byte order mark, which would become part of the first name.
  const text = existsSync(file) ? readFileSync(file, 'utf8').replace(/^\ufeff/, '') : '';
  return { ...parseEnv(text), ...process.env };
}

/** Parses a whole number. @throws SettingError when the text is not a whole number, or is out of bounds */
export function wholeNumber(text: string | undefined, fallback: number, min: number, max: number): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new SettingError(`must be a whole number from ${min} to ${max}, not "${text}"`);
}
