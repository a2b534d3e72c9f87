import { commandActor } from '../../../models/audit/actor.js';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { withCluster } from '../../../platform/cluster/with-cluster.js';
import type { Command, Output } from '../../../platform/command-line/run-command.js';
import { gateTopics } from '../../../models/safety/gate-model.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import { changeKeys } from '../../keys/change-keys.js';
import {
  type CreatedKey,
  createKey,
  deactivateKey,
  rotateKey,
  setMode,
  setPublisher,
} from '../../keys/key-operations.js';
import { type KeyFile, keyStore } from '../../keys/key-file.js';
import type { Config } from '../../config/config.js';
import { requireKnownLabels, UnknownNameError } from '../shared/known-names.js';
import { type KeyArguments, readArguments, type SetPublisher } from './arguments.js';
import { listKeys, publishersTable } from './list.js';

const usage = `Usage: npm run keys -- COMMAND [options]

Manages publishers' keys. A running server picks up changes within a second.

  create --publisher NAME        creates a key for this publisher, printed alone on the last line
    --test                       a test key, which bills nothing
    --origin https://SITE …      accepted from these sites only (default: from anywhere)
    --mode browser|server        whose events count: only browsers', with a share for each address, or also those of
                                 apps and servers, without a limit (default: browser with --origin, else server)
    --expires T                  a date-time, a date or a duration such as 90d (default: never)
    --requests-per-minute N      returns 429 above this (default: no limit)
  list [--json]                  all keys, without the secret
  rotate KEY_ID [--overlap D]    creates a new key; the old one stays valid for this long (default: 24h)
  deactivate KEY_ID              deactivates a key now
  mode KEY_ID browser|server     whose events count, from the next ad on
  set --publisher NAME           settings for all keys of a publisher:
    --floor X|default            its own min score, 0 to 1
    --block-category C …         no ads of these categories; an empty value clears the list
    --block-advertiser A …       no ads of these advertisers; likewise
    --new                        accept names that no feed has yet
    --allow-topic T …            sensitive topics on which it still accepts ads; likewise. Topics:
${topicLines()}
    --foreign-language TAG …     ads in these languages may be shown in any conversation; likewise. A tag such as de
  --data-dir DIR                 where the keys are kept (default: the DATA_DIR setting, ./data)

Example: npm run keys -- create --publisher "Garden Chat" --origin https://garden.example
Settings: DATA_DIR, DATABASE_URL, TIME_ZONE
`;

function topicLines(): string {
  const topics = gateTopics();
  const lines = Array.from({ length: Math.ceil(topics.length / 5) }, (_, at) => topics.slice(5 * at, 5 * at + 5));
  return lines.map((line) => `${' '.repeat(33)}${line.join(', ')}`).join(',\n');
}

/** The `npm run keys` command. The last line of `create` and `rotate` is the key alone, for scripts. */
export const keys: Command = {
  usage,
  async run(argv, output) {
    const now = Date.now();
    const wanted = readArguments(argv, now);
    // Only names to block are looked up in the catalogue, which may be large to fetch.
    const run = wanted.name === 'set' && !wanted.isNew ? withInstallation : withCluster;
    await run(wanted.config, (cluster) => perform(wanted, cluster, now, output));
  },
};

async function perform(wanted: KeyArguments, cluster: Cluster | null, now: number, output: Output): Promise<void> {
  const { dataDir } = wanted.config;
  const store = keyStore(dataDir, cluster);
  const audited = { dataDir, cluster, by: commandActor(), action: `keys ${wanted.name}`, now };
  const change = <R>(what: (file: KeyFile) => R): Promise<R> => changeKeys(store, audited, what);
  switch (wanted.name) {
    case 'create':
      return show(await change((file) => createKey(file, wanted.key, now)), output);
    case 'rotate':
      return show(await change((file) => rotateKey(file, wanted.id, wanted.overlapMs, now)), output);
    case 'deactivate': {
      const { id, deactivatedAt } = await change((file) => deactivateKey(file, wanted.id, now));
      return output.out(`${id} has been deactivated since ${deactivatedAt}\n`);
    }
    case 'mode': {
      const { id, mode } = await change((file) => setMode(file, wanted.id, wanted.mode));
      return output.out(`${id} is for ${mode === 'browser' ? 'browsers only' : 'browsers, apps and servers'}\n`);
    }
    case 'set': {
      if (!wanted.isNew) await requireKnownLists(wanted);
      const publisher = await change((file) => setPublisher(file, wanted.publisher, wanted.settings));
      return output.out(`In force for all keys of ${publisher.name}:\n${publishersTable([publisher])}\n`);
    }
    case 'list':
      return output.out(`${listKeys(await store.read(), now, wanted.json)}\n`);
  }
}

type SettingPublisher = SetPublisher & { readonly config: Config };

/** Requires that blocked names are known or already blocked. @throws UnknownNameError for any other */
async function requireKnownLists({ publisher, settings, config }: SettingPublisher): Promise<void> {
  const before = (await keyStore(config.dataDir).read()).publishers.find(({ name }) => name === publisher);
  const { blockedCategories = [], blockedAdvertisers = [] } = settings;
  try {
    await requireKnownLabels('category', blockedCategories, config, before?.blockedCategories);
    await requireKnownLabels('advertiser', blockedAdvertisers, config, before?.blockedAdvertisers);
  } catch (error) {
    if (!(error instanceof UnknownNameError)) throw error;
    throw new UnknownNameError(`${error.message}. Nothing was set; use --new to block it before a feed names it`);
  }
}

function show({ key, stored }: CreatedKey, output: Output): void {
  output.out(`${stored.id} for ${stored.publisher}${stored.test ? ', a test key: nothing is billed' : ''}\n`);
  if (stored.mode === 'browser')
    output.out(`for browsers only; "keys mode ${stored.id} server" also allows apps and servers\n`);
  if (stored.expiresAt !== null) output.out(`expires ${stored.expiresAt}\n`);
  output.out(`The key is shown only this once:\n${key}\n`);
}
