import { parseOptions, TEXT, UsageError, type Options, type Parsed } from '../platform/command-line/run-command.js';
import { optionOf, readEnvironment, readSettings } from '../platform/command-line/settings.js';
import { SHARED_SETTINGS, type SharedConfig } from '../models/shared-settings.js';

/** The settings that the indexer's commands accept, also as options. `server/README.md` lists all settings. */
const SETTINGS = Object.values(SHARED_SETTINGS);
const SETTING_OPTIONS = Object.fromEntries(SETTINGS.map(({ name }) => [optionOf(name), TEXT] as const));

/**
 * Reads a command's arguments and the settings.
 *
 * @param options the command's own options, in the form of `parseOptions`
 * @param arguments min and max number of positional arguments
 * @throws UsageError, SettingsError
 */
export function readCommandLine<const O extends Options>(
  argv: readonly string[],
  options: O,
  { min, max }: { readonly min: number; readonly max: number },
): Parsed<O> & { readonly settings: SharedConfig } {
  const parsed = parseOptions(argv, { ...SETTING_OPTIONS, ...options }, max);
  if (parsed.positionals.length < min) throw new UsageError('an argument is missing');
  const settings: SharedConfig = readSettings(SETTINGS, parsed.values as Record<string, string>, readEnvironment());
  return { ...(parsed as Parsed<O>), settings };
}
