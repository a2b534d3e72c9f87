import pLimit from 'p-limit';
import { main } from '../../../platform/command-line/run-command.js';
import { withInstallation } from '../../../models/snapshot/with-installation.js';
import { createDecide } from '../../decide/decide.js';
import { checkRelevantIds } from '../shared/check-relevant-ids.js';
import { openOffline } from '../shared/offline.js';
import { findPublisher } from '../shared/known-names.js';
import { readContexts } from '../shared/read-contexts.js';
import { readStoredRules } from '../../campaigns/stored-rules.js';
import { readArguments, usage } from './arguments.js';
import { asText } from './as-text.js';
import { compare, type Replayed } from './compare.js';
import { cachingEncoder } from './caching-encoder.js';

// `npm run replay`: shows what another snapshot or floor would change, with the code behind the match endpoint.
await main({
  usage,
  async run(argv, output) {
    const wanted = readArguments(argv);
    const { config } = wanted;
    const recorded = readContexts(wanted.file);
    await withInstallation(config, async (cluster) => {
      const publisher = await findPublisher(wanted.publisher, config.dataDir);
      const offline = await openOffline(config);
      try {
        const encoder = cachingEncoder(offline.encoder);
        const [from, to] = [
          await offline.snapshot(wanted.snapshot),
          await offline.snapshot(wanted.against ?? wanted.snapshot),
        ];
        const campaigns = await readStoredRules(config.dataDir, cluster);
        const before = createDecide({ encoder, index: { current: () => from }, config, campaigns });
        const after = createDecide({ encoder, index: { current: () => to }, config, campaigns });
        const requester = { publisher, session: undefined, now: Date.now() };
        const other = { ...requester, publisher: { ...publisher, floor: wanted.floor ?? publisher.floor } };
        const known = new Set([...from.creatives, ...to.creatives].map(({ id }) => id));
        const catalogue = from.id === to.id ? `snapshot ${from.id}` : `snapshot ${from.id} or ${to.id}`;
        const { contexts, warning } = checkRelevantIds(wanted.file, recorded, known, catalogue);
        if (warning !== null) output.err(`${warning}\n`);
        const replayed = await pLimit(2 * config.workers).map(contexts, async (context): Promise<Replayed> => {
          const [one, two] = await Promise.all([before(context, requester), after(context, other)]);
          return { context, before: one, after: two };
        });
        const comparison = compare(replayed, wanted.examples);
        const sides = { from: from.id, to: to.id, floor: wanted.floor ?? null };
        output.out(
          wanted.json ? `${JSON.stringify({ ...sides, ...comparison }, null, 2)}\n` : asText(comparison, sides),
        );
      } finally {
        await offline.close();
      }
    });
  },
});
