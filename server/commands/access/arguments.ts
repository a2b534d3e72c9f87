import { FLAG, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import { ROLES, type Role } from '../../access/access-file.js';
import type { NewToken } from '../../access/access-operations.js';
import type { Config } from '../../config/config.js';
import { KeyInputError, readExpiry, readName } from '../../keys/new-key.js';
import { readCommand } from '../shared/read-command.js';

/** The parsed and checked command line. */
export type AccessArguments = { readonly config: Config } & (
  | { readonly name: 'create'; readonly token: NewToken }
  | { readonly name: 'list'; readonly json: boolean }
  | { readonly name: 'role'; readonly holder: string; readonly role: Role }
  | { readonly name: 'revoke'; readonly holder: string }
);

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments([name, ...argv]: readonly string[], now: number): AccessArguments {
  try {
    switch (name) {
      case 'create': {
        const { values, config } = readCommand(argv, { name: TEXT, role: TEXT, expires: TEXT }, 0);
        const role = readRole(values.role ?? 'viewer');
        const expiresAt = readExpiry(values.expires, config.timeZone, now);
        return { name, token: { name: readName('name', values.name), role, expiresAt }, config };
      }
      case 'list': {
        const { values, config } = readCommand(argv, { json: FLAG }, 0);
        return { name, json: values.json === true, config };
      }
      case 'role': {
        const { positionals, config } = readCommand(argv, {}, 2);
        return { name, holder: holderIn(positionals), role: readRole(positionals[1]), config };
      }
      case 'revoke': {
        const { positionals, config } = readCommand(argv, {}, 1);
        return { name, holder: holderIn(positionals), config };
      }
      default:
        throw new UsageError(name === undefined ? 'a command is missing' : `${name} is not a command`);
    }
  } catch (error) {
    throw error instanceof KeyInputError ? new UsageError(`--${error.message}`) : error;
  }
}

function readRole(text: string | undefined): Role {
  const role = ROLES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`the role must be one of ${ROLES.join(', ')}`);
  return role;
}

function holderIn([name]: readonly string[]): string {
  if (name === undefined) throw new UsageError('the name is missing');
  return readName('name', name);
}
