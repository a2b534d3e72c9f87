import { parseOptions, TEXT, TEXTS, UsageError } from '../../platform/command-line/run-command.js';

export const usage = `Usage: npm run mutate -- FOLDER [options]

Applies one small mutation at a time to a folder's code and runs the folder's tests. Prints mutations that no test
notices. Mutations already tried with the same code and tests are not tried again.

  --tests PATTERN    additional tests, such as http or end-to-end/main-job (may be repeated)
  --without PATTERN  tests to leave out, such as slow ones (may be repeated)
  --files PATTERN    only files whose path contains this
  --sample N         only every Nth mutation (default: 1)
  --minutes N        end after this many minutes; another run continues from there (default: 0, no limit)

Example: npm run mutate -- server/keys --tests server/http/keys
`;

export interface MutateArguments {
  /** For example `server/keys`. */
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
