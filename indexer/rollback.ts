import { actorText, commandActor } from '../models/audit/actor.js';
import { withCluster } from '../platform/cluster/with-cluster.js';
import { recordPublication } from '../models/audit/publication.js';
import { lockCatalogue } from '../models/snapshot/catalogue-lock.js';
import { snapshotDirectory } from '../models/snapshot/layout.js';
import { readManifest } from '../models/snapshot/manifest.js';
import { makeDataDirectory } from '../platform/files/data-directory.js';
import { readPointer } from '../models/snapshot/pointer.js';
import { rollback } from '../models/snapshot/publish.js';
import { main } from '../platform/command-line/run-command.js';
import { readCommandLine } from './command-line.js';
import { describeSnapshot } from './describe-snapshot.js';
import { lazyEncoder } from './lazy-encoder.js';

const usage = `Usage: npm run rollback [-- ID] [options]

Makes an earlier snapshot live again; a running server follows within 2 s.

  ID               id of the snapshot, from npm run snapshots (default: the one that was live before)
  --data-dir DIR   where the catalogue is kept (default: the DATA_DIR setting, ./data)
  --database-url URL
                   PostgreSQL database that the nodes share; DATA_DIR is then this node's copy (default: the
                   DATABASE_URL setting, none). Other users of the machine can see options: with a password, set
                   DATABASE_URL in the environment or .env
  --profile NAME   quality or fast (default: the PROFILE setting, quality)
  --model NAME     encoder that it must fit (default: the MODEL setting, the profile's)

Example: npm run rollback -- 60c22d41a2dc4323
`;

await main({
  usage,
  async run(argv, { out, err }) {
    const { settings, positionals } = readCommandLine(argv, {}, { min: 0, max: 1 });
    const encoder = await lazyEncoder(settings);
    const { dataDir } = settings;
    makeDataDirectory(dataDir);
    await withCluster(settings, async (cluster) => {
      const lock = await lockCatalogue(dataDir, () => out('Waiting for an indexer to end …\n'), cluster);
      try {
        const [before] = await readPointer(dataDir);
        const by = commandActor();
        const onHistoryFault = (error: Error): void => err(`not recorded in the history: ${error.message}\n`);
        const options = { by: actorText(by), onHistoryFault, cluster };
        const after = await rollback(dataDir, encoder, positionals[0], options);
        await recordPublication({ dataDir, cluster }, { by, action: 'rollback', now: Date.now(), before, after });
        out(`Live now: ${describeSnapshot(await readManifest(snapshotDirectory(dataDir, after)))}\n`);
      } finally {
        await lock.release();
      }
    });
  },
});
