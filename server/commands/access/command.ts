import { commandActor } from '../../../models/audit/actor.js';
import { withCluster } from '../../../platform/cluster/with-cluster.js';
import type { Command } from '../../../platform/command-line/run-command.js';
import { accessStore, type AccessFile, type Role } from '../../access/access-file.js';
import { createToken, revokeToken, setRole } from '../../access/access-operations.js';
import { changeAccess } from '../../access/change-access.js';
import { isPartyKind } from '../../domain/party.js';
import type { LedgerSettings } from '../../ledger/database.js';
import { requireKnown } from '../shared/known-names.js';
import { readArguments } from './arguments.js';
import { listAccess } from './list.js';

const usage = `Usage: npm run access -- COMMAND [options]

Manages the access tokens of the people and programs that use the dashboard and the report API. A running server picks
up changes within a second.

  create --name NAME             creates a token for this person or program, printed alone on the last line
    --role ROLE                  admin, viewer, advertiser or publisher (default: viewer)
    --advertiser NAME            the advertiser, or
    --publisher NAME             the publisher, whose figures it is for, if that is the role
    --expires T                  a date-time, a date or a duration such as 90d (default: never)
  list [--json]                  all tokens, without the secret, and when each was last used, to within ten minutes
  role NAME ROLE                 changes the role, also of whoever is signed in with the token; with --advertiser or
                                 --publisher as above
  revoke NAME                    removes the token, and signs out whoever is signed in with it
  --data-dir DIR                 where the tokens are kept (default: the DATA_DIR setting, ./data)

A viewer reads reports, creatives, publishers, campaigns and invoices, sees why a conversation gets an ad, and changes
nothing. An admin may do everything, as the setting ADMIN_TOKEN may. Advertisers and publishers see their own figures
alone; advertisers also their closed months' invoices. Their names are as in reports: another spelling is another.

Example: npm run access -- create --name "Ana, Hill & Dale" --role advertiser --advertiser "Hill & Dale"
Settings: DATA_DIR, DATABASE_URL, TIME_ZONE
`;

/** The `npm run access` command. The last line of `create` is the token alone, for scripts. */
export const access: Command = {
  usage,
  async run(argv, output) {
    const now = Date.now();
    const wanted = readArguments(argv, now);
    const { dataDir } = wanted.config;
    await withCluster(wanted.config, async (cluster) => {
      const store = accessStore(dataDir, cluster);
      const audited = { dataDir, cluster, by: commandActor(), action: `access ${wanted.name}`, now };
      const change = <R>(what: (file: AccessFile) => R): Promise<R> => changeAccess(store, audited, what);
      switch (wanted.name) {
        case 'create': {
          await requireKnownParty(wanted.token, wanted.config);
          const { token, stored } = await change((file) => createToken(file, wanted.token, now));
          const until = stored.expiresAt === null ? '' : `, expires ${stored.expiresAt}`;
          return output.out(
            `access of ${stored.name} as ${described(stored)}${until}\nThe token is shown only this once:\n${token}\n`,
          );
        }
        case 'role':
          await requireKnownParty(wanted, wanted.config);
          await change((file) => setRole(file, wanted.holder, wanted.role, wanted.party));
          return output.out(`${wanted.holder} has the role ${described(wanted)}\n`);
        case 'revoke':
          await change((file) => revokeToken(file, wanted.holder));
          return output.out(`the access token of ${wanted.holder} is revoked, and its sessions end within a second\n`);
        case 'list':
          return output.out(`${listAccess(await store.read(), now, wanted.json)}\n`);
      }
    });
  },
};

type Granted = { readonly role: Role; readonly party?: string | undefined };

/** Refuses a misspelt name, which would show nothing, and later perhaps somebody else's figures. */
async function requireKnownParty({ role, party }: Granted, settings: LedgerSettings): Promise<void> {
  if (isPartyKind(role) && party !== undefined) await requireKnown(role, party, settings);
}

function described({ role, party }: Granted): string {
  return party === undefined ? role : `${role} ${party}`;
}
