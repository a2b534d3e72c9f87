import { FLAG, fraction, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import type { Config } from '../../config/config.js';
import { readCommand } from '../shared/read-command.js';

export const usage = `Usage: npm run calibrate -- CONTEXTS.jsonl [options]
       npm run calibrate -- --sets FOLDER … [options]

Fits score and floor to labelled conversations for a catalogue, and writes them to DATA_DIR/decision.json.

  CONTEXTS.jsonl     one {"context" or "messages", "relevant": [ids of right creatives]} per line, including
                     contexts in which no ad is right (an empty list). At least 20, with 3 whose best ad is right
                     and 3 whose best ad is wrong. With few, the result stays near the current values. From 60 on,
                     the floor is fitted too; 500 or more are better still
  --sets             the arguments are folders with creatives.jsonl and contexts.dev.jsonl (or contexts.jsonl), each
                     with its own catalogue; every set has equal weight
  --snapshot ID      the catalogue is this snapshot (default: the live one; not with --sets)
  --precision P      how often a shown ad should be right, in every set; the floor follows, 0.5 at least
                     (default: 0.9)
  --floor X          this floor instead of the one that follows from the precision
  --dry-run          prints what would change; writes nothing
  --json             one JSON object instead of text
  --data-dir DIR     where the catalogue is (default: the DATA_DIR setting, ./data)

Example: npm run calibrate -- contexts.jsonl --precision 0.95 --dry-run
`;

export interface CalibrateArguments {
  /** A file of contexts for one catalogue, or directories of whole sets. */
  readonly from:
    { readonly file: string; readonly snapshot: string | undefined } | { readonly sets: readonly string[] };
  readonly precision: number;
  readonly floor: number | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly config: Config;
}

const OPTIONS = { snapshot: TEXT, precision: TEXT, floor: TEXT, sets: FLAG, 'dry-run': FLAG, json: FLAG } as const;

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments(argv: readonly string[]): CalibrateArguments {
  const { values, positionals, config } = readCommand(argv, OPTIONS);
  const [file, ...more] = positionals;
  if (file === undefined) throw new UsageError('give a file of contexts, or --sets and folders');
  if (values.sets !== true && more.length > 0) throw new UsageError('give one file of contexts; folders need --sets');
  if (values.sets === true && values.snapshot !== undefined) throw new UsageError('--snapshot does not go with --sets');
  return {
    from: values.sets === true ? { sets: positionals } : { file, snapshot: values.snapshot },
    precision: fraction('precision', values.precision) ?? 0.9,
    floor: fraction('floor', values.floor),
    dryRun: values['dry-run'] ?? false,
    json: values.json ?? false,
    config,
  };
}
