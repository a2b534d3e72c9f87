import { FLAG, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import type { Config } from '../../config/config.js';
import { readCommand } from '../shared/read-command.js';

/** The parsed and checked command line. */
export type CreativeArguments = { readonly config: Config } & (
  | { readonly name: 'list'; readonly json: boolean }
  | { readonly name: 'block'; readonly id: string; readonly reason: string | undefined; readonly isNew: boolean }
  | { readonly name: 'unblock'; readonly id: string }
);

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments([name, ...argv]: readonly string[]): CreativeArguments {
  switch (name) {
    case 'list': {
      const { values, config } = readCommand(argv, { json: FLAG }, 0);
      return { name, json: values.json === true, config };
    }
    case 'block': {
      const { values, positionals, config } = readCommand(argv, { reason: TEXT, new: FLAG }, 1);
      return { name, id: creativeId(positionals), reason: values.reason, isNew: values.new === true, config };
    }
    case 'unblock': {
      const { positionals, config } = readCommand(argv, {}, 1);
      return { name, id: creativeId(positionals), config };
    }
    default:
      throw new UsageError(name === undefined ? 'a command is missing' : `${name} is not a command`);
  }
}

function creativeId([id]: readonly string[]): string {
  if (id === undefined || id === '') throw new UsageError('the id of a creative is missing');
  return id;
}
