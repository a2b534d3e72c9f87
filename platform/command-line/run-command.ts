import { parseArgs, type ParseArgsConfig } from 'node:util';
import { printableLines } from '../text/printable.js';
import { isReadable } from '../text/well-formed.js';
import { reportFileSizeLimit } from './file-size-limit.js';
import { SettingsError } from './settings.js';

/** Arguments that cannot be used; the message says what is wrong with them. A command prints its usage, and ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Where a command prints: results to `out`, everything else to `err`. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** One of the commands that `npm run` knows. */
export interface Command {
  /** What `--help` prints: usage, options and an example. */
  readonly usage: string;
  /**
   * @param argv the arguments after the command's name
   * @throws UsageError, SettingsError for what was given; any other Error for what failed
   */
  readonly run: (argv: readonly string[], output: Output) => Promise<void>;
}

/**
 * Prints what somebody may keep, an invoice or a report: byte for byte, but for a terminal, which a name from a feed might steer.
 */
export function printDocument(text: string): void {
  process.stdout.write(process.stdout.isTTY ? printableLines(text) : text);
}

/** Whatever a command prints, names from feeds among it, does not steer the terminal. */
const PROCESS: Output = {
  out: (text) => void process.stdout.write(printableLines(text)),
  err: (text) => void process.stderr.write(printableLines(text)),
};

/**
 * Runs a command to its end. Help is printed whatever else was given; a fault goes to standard error.
 *
 * @returns the exit code: 0 done, 1 failed, 2 arguments or settings that cannot be used
 */
export async function runCommand(
  { usage, run }: Command,
  argv: readonly string[] = process.argv.slice(2),
  output: Output = PROCESS,
): Promise<0 | 1 | 2> {
  try {
    if (asksForHelp(argv)) output.out(usage);
    else await run(argv, output);
    return 0;
  } catch (error) {
    output.err(`${(error as Error).message}\n${error instanceof UsageError ? `\n${usage}` : ''}`);
    return error instanceof UsageError || error instanceof SettingsError ? 2 : 1;
  }
}

/** Runs the command of this process, which ends with its exit code unless the command has set another. */
export async function main(command: Command): Promise<void> {
  keepFilesPrivate();
  reportFileSizeLimit();
  const code = await runCommand(command);
  process.exitCode ??= code;
}

/** Whatever this process makes from now on, libraries included, is for its own user: files 0600, directories 0700. */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

/** Whether arguments ask for the usage. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

export type Options = NonNullable<ParseArgsConfig['options']>;

/** What `parseOptions` reads: options by name, and what stands beside them. */
export type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/**
 * @param most how many arguments may stand beside the options
 * @throws UsageError for an option that is not known or lacks its value, for one argument too many, and for one that is
 * not UTF-8
 */
export function parseOptions<const O extends Options>(argv: readonly string[], options: O, most = Infinity): Parsed<O> {
  const broken = argv.find((argument) => !isReadable(argument));
  if (broken !== undefined) throw new UsageError(`${broken} holds bytes that are not UTF-8`);
  let parsed: Parsed<O>;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const extra = parsed.positionals[most];
  if (extra !== undefined) throw new UsageError(`${extra} is one argument too many; quote one that holds blanks`);
  return parsed;
}

/** For `parseOptions`: an option with a value, one without, one that may be given several times. */
export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean' } as const;
export const TEXTS = { type: 'string', multiple: true } as const;

/** A number from 0 to 1 given as an option; undefined when it was not given. @throws UsageError */
export function fraction(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (value >= 0 && value <= 1) return value;
  throw new UsageError(`--${name} must be a number from 0 to 1, not "${text}"`);
}
