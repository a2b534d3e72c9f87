import { commandActor } from '../../../models/audit/actor.js';
import { withCluster } from '../../../platform/cluster/with-cluster.js';
import { FLAG, UsageError, type Command } from '../../../platform/command-line/run-command.js';
import type { AuditedAction } from '../../audit/change-audited.js';
import type { Config } from '../../config/config.js';
import { changeSigningKeys } from '../../request-id/change-signing-keys.js';
import {
  keptKeys,
  keyOf,
  rotatedKeys,
  signingKeyStore,
  verifyingWindowMs,
} from '../../request-id/stored-signing-keys.js';
import { readCommand } from '../shared/read-command.js';
import { listSigningKeys } from './list.js';

const usage = `Usage: npm run signing-keys -- COMMAND [options]

Manages the keys that seal request ids, in DATA_DIR/signing-keys.json. A running server picks up changes within a second.

  list [--json]    all keys, without their secrets, and the installation that request ids name
  rotate           creates a key that issues from now on; the previous one verifies as long as events of its ads may arrive
  drop KEY_ID      removes a leaked key: it no longer verifies, and no event of an ad served under it counts
  --data-dir DIR   where the keys are kept (default: the DATA_DIR setting, ./data)

A stored key rotates automatically after 30 days. Keys of the SIGNING_KEYS setting are rotated in that setting.

Example: npm run signing-keys -- rotate
Settings: DATA_DIR, DATABASE_URL, SIGNING_KEYS, IMPRESSION_HOURS, CLICK_DAYS
`;

/** The `npm run signing-keys` command. */
export const signingKeys: Command = {
  usage,
  async run(argv, output) {
    const now = Date.now();
    const [name, ...rest] = argv;
    const { values, positionals, config } = readCommand(
      rest,
      name === 'list' ? { json: FLAG } : {},
      name === 'drop' ? 1 : 0,
    );
    const windowMs = verifyingWindowMs(config);
    await withCluster(config, async (cluster) => {
      if (name === 'list') {
        const file = await signingKeyStore(config.dataDir).read();
        const json = (values as { json?: boolean }).json === true;
        return output.out(`${listSigningKeys(file, { given: config.signingKeys, windowMs, json, now })}\n`);
      }
      const audited = { dataDir: config.dataDir, cluster, by: commandActor(), action: `signing-keys ${name}`, now };
      if (name === 'rotate') return output.out(await rotate(config, windowMs, audited, cluster !== null));
      if (name === 'drop') return output.out(await drop(config, positionals[0], audited));
      throw new UsageError(name === undefined ? 'a command is missing' : `${name} is not a command`);
    });
  },
};

async function rotate(
  { signingKeys: given }: Config,
  windowMs: number,
  audited: AuditedAction,
  hasNodes: boolean,
): Promise<string> {
  const { now } = audited;
  if (given !== null)
    throw new Error('SIGNING_KEYS is set, so stored keys do not issue: put a new key first in that setting');
  const [fresh] = await changeSigningKeys(
    audited,
    (file) => (file.keys = rotatedKeys(keptKeys(file.keys, now, windowMs), now)),
  );
  const until = new Date(now + windowMs).toISOString();
  const when = hasNodes ? 'within about a minute, when all nodes know it' : 'from now on';
  return `${keyOf(fresh!).id} issues ${when}; the previous keys verify until ${until} at most\n`;
}

async function drop({ signingKeys: given }: Config, id: string | undefined, audited: AuditedAction): Promise<string> {
  if (id === undefined) throw new UsageError('a key id is missing');
  if (given?.some((key) => key.id === id)) throw new Error(`${id} is one of SIGNING_KEYS: remove it from that setting`);
  await changeSigningKeys(audited, (file) => {
    const key = file.keys.find((each) => keyOf(each).id === id);
    if (key === undefined) throw new Error(`there is no key ${id}; signing-keys list shows them`);
    if (key.retiredAt === null) throw new Error(`${id} is the issuing key: rotate first`);
    file.keys = file.keys.filter((each) => each !== key);
  });
  return `${id} is dropped: no event of an ad served under it counts any more\n`;
}
