import { environment, readConfig } from '../config.js';
import { createDecide } from '../decide/create-decide.js';
import { runCommand } from '../offline/command.js';
import { inLanes } from '../offline/in-lanes.js';
import { openOffline } from '../offline/offline.js';
import { publisherNamed } from '../offline/publisher-named.js';
import { readContexts, type RecordedContext } from '../offline/read-contexts.js';
import { readArguments, USAGE } from './arguments.js';
import { asText } from './as-text.js';
import { compare, type Replayed } from './compare.js';
import { sharedEncoder } from './shared-encoder.js';

// `npm run replay`: what another snapshot or floor would change, by the code that answers match.
await runCommand(USAGE, async (argv) => {
  const wanted = readArguments(argv);
  const config = readConfig(environment(), wanted.dataDir === undefined ? [] : ['--data-dir', wanted.dataDir]);
  const contexts = readContexts(wanted.file);
  const publisher = await publisherNamed(wanted.publisher, config.dataDir);
  const offline = await openOffline(config);
  try {
    const encoder = sharedEncoder(offline.encoder);
    const [from, to] = [
      await offline.snapshot(wanted.snapshot),
      await offline.snapshot(wanted.against ?? wanted.snapshot),
    ];
    const before = createDecide({ encoder, index: { current: () => from }, config });
    const after = createDecide({ encoder, index: { current: () => to }, config });
    const asker = { publisher, session: undefined, now: Date.now() };
    const other = { ...asker, publisher: { ...publisher, floor: wanted.floor ?? publisher.floor } };
    const known = new Set([...from.creatives, ...to.creatives].map(({ id }) => id));
    const replayed = await inLanes(contexts, 2 * config.workers, async (context): Promise<Replayed> => {
      const [one, two] = await Promise.all([before(context, asker), after(context, other)]);
      return { context: judgeable(context, known), before: one, after: two };
    });
    const comparison = compare(replayed, wanted.examples);
    const sides = { from: from.id, to: to.id, floor: wanted.floor ?? null };
    return wanted.json ? `${JSON.stringify({ ...sides, ...comparison }, null, 2)}\n` : asText(comparison, sides);
  } finally {
    await offline.close();
  }
});

/** Right creatives of which neither catalogue holds one tell nothing about what these would show. */
function judgeable(context: RecordedContext, known: ReadonlySet<string>): RecordedContext {
  const { relevant, ...rest } = context;
  return relevant === undefined || relevant.length === 0 || relevant.some((id) => known.has(id)) ? context : rest;
}
