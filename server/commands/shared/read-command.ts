import { parseOptions, TEXT, type Options, type Parsed } from '../../../platform/command-line/run-command.js';
import { readEnvironment } from '../../../platform/command-line/settings.js';
import { readConfig, type Config } from '../../config/config.js';

/** A command's options, its other arguments, and the settings. */
export type CommandInput<O extends Options> = Parsed<O> & { readonly config: Config };

/**
 * Reads a command's arguments and the settings. Every command accepts the settings that locate the data as options:
 * `--data-dir`, `--database-url`.
 *
 * @param options the command's own options
 * @param maxArguments max number of other arguments
 * @throws UsageError, SettingsError
 */
export function readCommand<const O extends Options>(
  argv: readonly string[],
  options: O,
  maxArguments?: number,
): CommandInput<O> {
  const parsed = parseOptions(argv, { ...options, 'data-dir': TEXT, 'database-url': TEXT }, maxArguments);
  const values = parsed.values as Readonly<Record<string, string | undefined>>;
  const given = ['data-dir', 'database-url'].filter((name) => values[name] !== undefined);
  const config = readConfig(
    readEnvironment(),
    given.flatMap((name) => [`--${name}`, values[name]!]),
  );
  return { ...(parsed as Parsed<O>), config };
}
