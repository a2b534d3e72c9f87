import { parseOptions, TEXT, type Options, type Parsed } from '../../../models/command-line/run-command.js';
import { readEnvironment } from '../../../models/command-line/settings.js';
import { readConfig, type Config } from '../../config/config.js';

/** A command's options, what stands beside them, and the settings. */
export type CommandInput<O extends Options> = Parsed<O> & { readonly config: Config };

/**
 * Reads a command's arguments and the settings, of which every command takes one as an option: `--data-dir`.
 *
 * @param options the command's own
 * @param most how many arguments may stand beside them
 * @throws UsageError, SettingsError
 */
export function readCommand<const O extends Options>(
  argv: readonly string[],
  options: O,
  most?: number,
): CommandInput<O> {
  const parsed = parseOptions(argv, { ...options, 'data-dir': TEXT }, most);
  const { 'data-dir': dataDir } = parsed.values as { readonly 'data-dir'?: string };
  const config = readConfig(readEnvironment(), dataDir === undefined ? [] : ['--data-dir', dataDir]);
  return { ...(parsed as Parsed<O>), config };
}
