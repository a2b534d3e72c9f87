import { commandActor } from '../../../models/audit/actor.js';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import { withCluster } from '../../../platform/cluster/with-cluster.js';
import type { Command, Output } from '../../../platform/command-line/run-command.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import { printable } from '../../../platform/text/printable.js';
import { endTakedown, takeDown, type TakenDown } from '../../takedown/changes.js';
import { type Takedown, takedownStore } from '../../takedown/takedown-file.js';
import { readLiveCreatives } from '../../campaigns/terms/feed-campaigns.js';
import type { Config } from '../../config/config.js';
import { requireKnown, UnknownNameError } from '../shared/known-names.js';
import { type CreativeArguments, readArguments } from './arguments.js';

const usage = `Usage: npm run creatives -- block ID [--reason TEXT] [--new]
       npm run creatives -- unblock ID
       npm run creatives -- list [--json]

Takes a creative down: it is no longer served, and its links and image return 410, even after it has left the feed and
whatever a feed says later. A running server picks this up within a second.

  --reason TEXT    the reason, shown in the list
  --new            accept a creative that no feed has yet
  --json           list as one JSON object
  --data-dir DIR   where the installation is (default: the DATA_DIR setting, ./data)
Settings: DATA_DIR, DATABASE_URL

Example: npm run creatives -- block boots-1 --reason "the advertiser has no licence for the image"
`;

/** The `npm run creatives` command. A running server picks up changes within a second. */
export const creatives: Command = {
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    // Only a takedown reads the catalogue, which may be large to fetch.
    const run = wanted.name === 'block' ? withInstallation : withCluster;
    await run(wanted.config, (cluster) => perform(wanted, cluster, output));
  },
};

async function perform(wanted: CreativeArguments, cluster: Cluster | null, output: Output): Promise<void> {
  const { dataDir } = wanted.config;
  const now = Date.now();
  const audited = { dataDir, cluster, by: commandActor(), action: `creatives ${wanted.name}`, now };
  switch (wanted.name) {
    case 'list': {
      const { creatives: down } = await takedownStore(dataDir).read();
      return output.out(`${wanted.json ? JSON.stringify({ creatives: down }, null, 2) : listed(down)}\n`);
    }
    case 'unblock':
      await endTakedown(audited, wanted.id);
      return output.out(`${printable(wanted.id)} may run again\n`);
    case 'block':
      if (!wanted.isNew) await requireCreative(wanted.id, wanted.config);
      return show(await takeDown(audited, wanted.id, wanted.reason), output);
  }
}

/**
 * Requires that a creative is known.
 *
 * @throws UnknownNameError for an id that no feed, event or takedown has
 * @throws Error if neither the live catalogue has it nor the ledger can be read
 */
async function requireCreative(id: string, config: Config): Promise<void> {
  const { creatives: down } = await takedownStore(config.dataDir).read();
  if (down.some((each) => each.id === id)) return;
  // The catalogue first: a takedown of a live creative must not depend on the ledger.
  const live = await readLiveCreatives(config.dataDir).catch(() => []);
  if (live.some((creative) => creative.id === id)) return;
  try {
    await requireKnown('creative', id, config);
  } catch (error) {
    const message = (error as Error).message;
    if (error instanceof UnknownNameError) {
      throw new UnknownNameError(`${message}. Nothing was taken down; use --new to take it down before a feed has it`);
    }
    throw new Error(`${message}. Nothing was taken down; --new takes it down without looking for it`, { cause: error });
  }
}

function show({ takedown, sharedWith }: TakenDown, output: Output): void {
  output.out(`${printable(takedown.id)} is taken down\n`);
  if (sharedWith.length === 0) return;
  output.err(`its image stays, since it is also the image of ${sharedWith.map((id) => printable(id)).join(', ')}\n`);
}

function listed(down: readonly Takedown[]): string {
  if (down.length === 0) return 'no creative is taken down';
  return down
    .map(({ id, at, reason }) => `${printable(id)}  since ${at}${reason === null ? '' : `  ${printable(reason)}`}`)
    .join('\n');
}
