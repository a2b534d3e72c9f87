import { parseOptions, TEXT, TEXTS, UsageError } from '../../platform/command-line/run-command.js';

export const usage = `Usage: npm run mutate -- FOLDER [options]

Breaks each place of a folder's code in turn, as a slip of the pen would, and runs the folder's tests: those that none of
them notices are printed. What was tried before, with the same code and tests, is not tried again.

  --tests PATTERN    more tests, besides the folder's own, such as http or end-to-end/main-job (may be repeated)
  --without PATTERN  tests to leave out, such as slow ones (may be repeated)
  --files PATTERN    only files whose path contains this
  --sample N         only every Nth place (default: 1)
  --minutes N        end after so many minutes; another run goes on from there (default: 0, no limit)

Example: npm run mutate -- server/keys --tests server/http/keys
`;

export interface MutateArguments {
  /** Such as `server/keys`. */
  readonly folder: string;
  readonly tests: readonly string[];
  readonly without: readonly string[];
  readonly files: string;
  readonly sample: number;
  readonly minutes: number;
}

/** @throws UsageError naming what is wrong */
export function readArguments(argv: readonly string[]): MutateArguments {
  const options = { tests: TEXTS, without: TEXTS, files: TEXT, sample: TEXT, minutes: TEXT } as const;
  const { values, positionals } = parseOptions(argv, options, 1);
  const [folder] = positionals;
  if (folder === undefined) throw new UsageError('a folder is missing');
  const whole = (name: 'sample' | 'minutes', fallback: number): number => {
    const text = values[name] ?? String(fallback);
    if (!/^\d{1,6}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}"`);
    return Number(text);
  };
  return {
    folder: folder.replace(/\/+$/, ''),
    tests: values.tests ?? [],
    without: values.without ?? [],
    files: values.files ?? '',
    sample: Math.max(1, whole('sample', 1)),
    minutes: whole('minutes', 0),
  };
}
