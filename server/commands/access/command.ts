import { commandActor } from '../../../models/audit/actor.js';
import { withCluster } from '../../../platform/cluster/with-cluster.js';
import type { Command } from '../../../platform/command-line/run-command.js';
import { accessStore, type AccessFile } from '../../access/access-file.js';
import { createToken, revokeToken, setRole } from '../../access/access-operations.js';
import { changeAccess } from '../../access/change-access.js';
import { readArguments } from './arguments.js';
import { listAccess } from './list.js';

const usage = `Usage: npm run access -- COMMAND [options]

Manages the access tokens of the people and programs that use the dashboard and the report API. A running server picks
up changes within a second.

  create --name NAME             creates a token for this person or program, printed alone on the last line
    --role admin|viewer          what it is for (default: viewer)
    --expires T                  a date-time, a date or a duration such as 90d (default: never)
  list [--json]                  all tokens, without the secret, and when each was last used, to within ten minutes
  role NAME admin|viewer         changes the role, also of whoever is signed in with the token
  revoke NAME                    removes the token, and signs out whoever is signed in with it
  --data-dir DIR                 where the tokens are kept (default: the DATA_DIR setting, ./data)

A viewer reads reports, creatives, publishers, campaigns and invoices, sees why a conversation gets an ad, and changes
nothing. An admin may do everything, as the setting ADMIN_TOKEN may.

Example: npm run access -- create --name "Anna Berg" --role viewer --expires 365d
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
          const { token, stored } = await change((file) => createToken(file, wanted.token, now));
          const until = stored.expiresAt === null ? '' : `, expires ${stored.expiresAt}`;
          return output.out(`access of ${stored.name} as ${stored.role}${until}\n${token}\n`);
        }
        case 'role':
          await change((file) => setRole(file, wanted.holder, wanted.role));
          return output.out(`${wanted.holder} has the role ${wanted.role}\n`);
        case 'revoke':
          await change((file) => revokeToken(file, wanted.holder));
          return output.out(`the access token of ${wanted.holder} is revoked, and its sessions end within a second\n`);
        case 'list':
          return output.out(`${listAccess(await store.read(), now, wanted.json)}\n`);
      }
    });
  },
};
