import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One context of a set with its relevant ads and flags. */
export interface EvalContext {
  readonly id: string;
  readonly context: string;
  readonly relevant: readonly string[];
  /** Creatives that are neither right nor wrong. */
  readonly acceptable?: readonly string[];
  /** The kind of conversation, if the set has kinds: direct, trap, distress … */
  readonly kind?: string;
  readonly borderline?: boolean;
  readonly sensitive?: boolean;
  readonly judgedIrrelevant?: readonly string[];
  readonly [flag: string]: unknown;
}

/** Returns the context files of a set's split; all of them if none names a split. */
export function contextFiles(directory: string, split: string): string[] {
  const files = readdirSync(directory).filter((file) => /^contexts.*\.jsonl$/.test(file));
  const named = files.filter((file) => file.endsWith(`.${split}.jsonl`));
  const unsplit = files.filter((file) => !/\.(train|dev|test)\.jsonl$/.test(file));
  return (named.length > 0 ? named : unsplit).toSorted().map((file) => path.join(directory, file));
}

export function readJsonLines<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T);
}
