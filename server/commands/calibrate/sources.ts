import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../../platform/command-line/run-command.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import type { Offline } from '../shared/offline.js';
import { readContexts, type RecordedContext } from '../shared/read-contexts.js';
import type { CalibrateArguments } from './arguments.js';
import { byDirectory, indexSet } from './index-set.js';

/** Contexts to fit to, and the catalogue that they were made for. */
export interface Source {
  readonly name: string;
  /** The file of the contexts. */
  readonly file: string;
  readonly contexts: readonly RecordedContext[];
  /** Advice if they name creatives that the catalogue lacks; undefined: the advice for any snapshot. */
  readonly advice: string | undefined;
  /** @param setsDir where the snapshots of sets are kept */
  snapshot(offline: Offline, setsDir: string): Promise<LoadedSnapshot>;
}

/**
 * Reads all contexts before anything slow starts, so that an invalid line is reported at once.
 *
 * @param setting the MODEL setting, or the model of the profile
 * @throws UsageError naming the file, line and field that is wrong
 */
export function readSources(from: CalibrateArguments['from'], setting: string): Source[] {
  if ('file' in from) {
    const { file, snapshot } = from;
    const read = { name: basename(file), file, contexts: readContexts(file), advice: undefined };
    return [{ ...read, snapshot: (offline) => offline.snapshot(snapshot) }];
  }
  return from.sets.map((directory) => {
    const name = basename(resolve(directory));
    const file = ['contexts.dev.jsonl', 'contexts.jsonl'].map((it) => join(directory, it)).find(existsSync);
    if (file === undefined) throw new UsageError(`${directory} holds neither contexts.dev.jsonl nor contexts.jsonl`);
    return {
      name,
      file,
      contexts: readContexts(file),
      advice: `Add the ads that it names to ${join(directory, 'creatives.jsonl')}`,
      snapshot({ encoder, profile }, setsDir) {
        return indexSet(directory, join(setsDir, name), encoder, byDirectory(setting, profile));
      },
    };
  });
}
