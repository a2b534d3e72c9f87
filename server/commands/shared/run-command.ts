import { ConfigError } from '../../config/config.js';

/** Arguments that cannot be used: exit code 2. */
export class UsageError extends Error {}

/**
 * Runs a command to its end: its text goes to standard output; a fault goes to standard error, with exit code 2 for
 * arguments and settings that cannot be used and 1 for all else.
 */
export async function runCommand(usage: string, run: (argv: readonly string[]) => Promise<string>): Promise<void> {
  const argv = process.argv.slice(2);
  try {
    process.stdout.write(asksForHelp(argv) ? usage : await run(argv));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${error instanceof UsageError ? `\n${usage}` : ''}`);
    process.exitCode = error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

/** Whether arguments ask for the usage; whatever else they say, it is printed and that is all. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

/** A number from 0 to 1 given as an option; undefined when it was not given. @throws UsageError */
export function fraction(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (value >= 0 && value <= 1) return value;
  throw new UsageError(`--${name} must be a number from 0 to 1, not "${text}"`);
}
