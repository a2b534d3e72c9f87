import { FLAG, TEXT, UsageError } from '../../../platform/command-line/run-command.js';
import { ROLES, type Role } from '../../access/access-file.js';
import { isPartyKind, PARTY_KINDS } from '../../domain/party.js';
import type { NewToken } from '../../access/access-operations.js';
import type { Config } from '../../config/config.js';
import { KeyInputError, readExpiry, readName } from '../../keys/new-key.js';
import { readCommand } from '../shared/read-command.js';

/** The parsed and checked command line. */
export type AccessArguments = { readonly config: Config } & (
  | { readonly name: 'create'; readonly token: NewToken }
  | { readonly name: 'list'; readonly json: boolean }
  | { readonly name: 'role'; readonly holder: string; readonly role: Role; readonly party: string | undefined }
  | { readonly name: 'revoke'; readonly holder: string }
);

/** Options that name whose figures a token is for. */
const PARTY = { advertiser: TEXT, publisher: TEXT } as const;

/** Reads and checks the command line. @throws UsageError, SettingsError naming what is wrong */
export function readArguments([name, ...argv]: readonly string[], now: number): AccessArguments {
  try {
    switch (name) {
      case 'create': {
        const { values, config } = readCommand(argv, { name: TEXT, role: TEXT, ...PARTY, expires: TEXT }, 0);
        const role = readRole(values.role ?? 'viewer');
        const expiresAt = readExpiry(values.expires, config.timeZone, now);
        return {
          name,
          token: { name: readName('name', values.name), role, party: readParty(role, values), expiresAt },
          config,
        };
      }
      case 'list': {
        const { values, config } = readCommand(argv, { json: FLAG }, 0);
        return { name, json: values.json === true, config };
      }
      case 'role': {
        const { values, positionals, config } = readCommand(argv, PARTY, 2);
        const [holder, role] = [holderIn(positionals), readRole(positionals[1])];
        return { name, holder, role, party: readParty(role, values), config };
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

/** Returns the advertiser or publisher that a role needs; undefined for the others. @throws UsageError, KeyInputError */
function readParty(role: Role, values: Readonly<Partial<Record<keyof typeof PARTY, string>>>): string | undefined {
  const other = PARTY_KINDS.find((kind) => kind !== role && values[kind] !== undefined);
  if (other !== undefined) throw new UsageError(`--${other} is for the role ${other}, not ${role}`);
  return isPartyKind(role) ? readName(role, values[role]) : undefined;
}

function holderIn([name]: readonly string[]): string {
  if (name === undefined) throw new UsageError('the name is missing');
  return readName('name', name);
}
