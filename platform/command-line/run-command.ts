import { parseArgs, type ParseArgsConfig } from 'node:util';
import { printableLines } from '../text/printable.js';
import { isReadable } from '../text/well-formed.js';
import { failureText } from './failure-text.js';
import { reportFileSizeLimit } from './file-size-limit.js';
import { SettingsError } from './settings.js';

/** Unusable arguments; the message describes the fault. A command prints it with how to get help, and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Where a command prints: results go to `out`, everything else to `err`. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** A command run with `npm run`. */
export interface Command {
  /** The text of `--help`: usage, options and an example. */
  readonly usage: string;
  /**
   * @param argv the arguments after the command's name
   * @throws UsageError, SettingsError for unusable arguments or settings; any other Error for a failure
   */
  readonly run: (argv: readonly string[], output: Output) => Promise<void>;
}

/**
 * Prints a document that a user may keep, such as an invoice or a report: byte for byte, except on a terminal, which a
 * name from a feed could control.
 */
export function printDocument(text: string): void {
  process.stdout.write(process.stdout.isTTY ? printableLines(text) : text);
}

/** Output in which no text, such as a name from a feed, can control the terminal. */
const PROCESS: Output = {
  out: (text) => void process.stdout.write(printableLines(text)),
  err: (text) => void process.stderr.write(printableLines(text)),
};

/**
 * Runs a command to its end. `--help` takes precedence over other arguments; errors go to standard error.
 *
 * @returns the exit code: 0 success, 1 failure, 2 unusable arguments or settings
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
    output.err(`${failureText(error)}\n${error instanceof UsageError ? seeHelp(usage) : ''}`);
    return error instanceof UsageError || error instanceof SettingsError ? 2 : 1;
  }
}

/** Names the call that prints the usage, which itself would scroll the fault away. */
function seeHelp(usage: string): string {
  const called = /^Usage: (npm (?:run )?(?:--silent )?\S+|node \S+)/.exec(usage)?.[1];
  if (called === undefined) return '';
  return `See ${called}${called.startsWith('npm') ? ' --' : ''} --help\n`;
}

/** Runs this process's command and sets its exit code, unless the command has set one. */
export async function main(command: Command): Promise<void> {
  keepFilesPrivate();
  reportFileSizeLimit();
  ignoreBrokenPipes();
  const code = await runCommand(command);
  process.exitCode ??= code;
}

/** Discards output that nobody reads any more, such as after `| head`: the command still finishes its work. */
function ignoreBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/**
 * Makes all files and directories that this process creates from now on, including those of libraries, private to its
 * user: files 0600, directories 0700.
 */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

/** Returns whether the arguments ask for the usage. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

export type Options = NonNullable<ParseArgsConfig['options']>;

/** The result of `parseOptions`: options by name, and positional arguments. */
export type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/**
 * Parses options and positional arguments.
 *
 * @param max maximum number of positional arguments
 * @throws UsageError for an unknown option, an option without its value, a positional argument too many, or an argument
 *   that is not UTF-8
 */
export function parseOptions<const O extends Options>(argv: readonly string[], options: O, max = Infinity): Parsed<O> {
  const broken = argv.find((argument) => !isReadable(argument));
  if (broken !== undefined) throw new UsageError(`${broken} holds bytes that are not UTF-8`);
  let parsed: Parsed<O>;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const extra = parsed.positionals[max];
  if (extra !== undefined)
    throw new UsageError(`unexpected argument ${extra}; put an argument that contains spaces in quotes`);
  return parsed;
}

/** Options for `parseOptions`: with a value, without a value, and with a value and repeatable. */
export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean' } as const;
export const TEXTS = { type: 'string', multiple: true } as const;

/** Parses an option whose value is a number from 0 to 1; undefined if it was not given. @throws UsageError */
export function fraction(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (value >= 0 && value <= 1) return value;
  throw new UsageError(`--${name} must be a number from 0 to 1, not "${text}"`);
}
