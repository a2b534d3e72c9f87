import { parseArgs } from 'node:util';
import { environment, readSettings, SETTING_FLAGS, SettingsError, type IndexerSettings } from './settings.js';

/** A command's arguments and settings, read and checked. */
export interface ParsedCommand {
  readonly settings: IndexerSettings;
  readonly arguments: readonly string[];
  readonly switches: ReadonlySet<string>;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** What a command takes beside the settings. */
export interface Command {
  readonly usage: string;
  readonly switches?: readonly string[];
  readonly values?: readonly string[];
  readonly arguments: { readonly least: number; readonly most: number };
}

/**
 * Reads a command's arguments.
 *
 * @throws SettingsError when they do not fit; its message includes the usage
 */
export function readCommandLine(command: Command, argv: readonly string[]): ParsedCommand | 'help' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const switches = [...(command.switches ?? []), 'help'];
  let parsed;
  try {
    parsed = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: Object.fromEntries([
        ...switches.map((name) => [name, flag] as const),
        ...[...SETTING_FLAGS, ...(command.values ?? [])].map((name) => [name, text] as const),
      ]),
    });
  } catch (error) {
    throw new SettingsError(`${(error as Error).message}\n${command.usage}`);
  }
  const values = parsed.values as Record<string, string | undefined>;
  const on = new Set(switches.filter((name) => name in values));
  if (on.has('help')) return 'help';
  const { least, most } = command.arguments;
  const given = parsed.positionals.length;
  if (given < least || given > most) throw new SettingsError(command.usage);
  return { settings: readSettings(values, environment()), arguments: parsed.positionals, switches: on, values };
}

/** Runs a command and ends with its exit code: 2 for usage, 1 for anything else that went wrong. */
export async function runCommand(command: Command, run: (asked: ParsedCommand) => Promise<number>): Promise<void> {
  // A file size limit is then reported by the write that meets it; the lock's clean-up would end the process instead.
  process.on('SIGXFSZ', () => {});
  try {
    const asked = readCommandLine(command, process.argv.slice(2));
    if (asked === 'help') process.stdout.write(`${command.usage}\n`);
    else process.exitCode = await run(asked);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = error instanceof SettingsError ? 2 : 1;
  }
}
