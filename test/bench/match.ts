import { availableParallelism } from 'node:os';
import type { Encoder } from '../../models/encoder/encoder.js';
import { createEncoder } from '../../models/encoder/pool.js';
import { readEnvironment } from '../../models/command-line/settings.js';
import { modelOf, readProfile } from '../../models/encoder/profile.js';
import { readConfig } from '../../server/config/config.js';
import { match } from '../support/installation.js';
import { conversations, timed, withService } from './service.js';
import { duration, quantile, table } from './table.js';

/**
 * A match over HTTP beside the bare encoder call on the same conversation, taken in turn, so that both meet the same
 * noise; then as many as the machine can do of each. With the encoder that PROFILE or MODEL names.
 */
export async function benchMatch(count = 400): Promise<string> {
  const workers = Math.min(4, availableParallelism());
  const profile = readProfile(modelOf(readConfig(readEnvironment())), '');
  return withService(workers, async ({ origin, key }) => {
    const ask = async (context: string) => {
      const response = await match(origin, key, context);
      if (response.status !== 200 && response.status !== 404) throw new Error(`match answered ${response.status}`);
      await response.arrayBuffer();
    };
    const latency = await inTurn(profile, conversations(count), ask);
    const rates = await throughput(profile, workers, conversations(count * 2), ask);
    return [
      table(
        ['one at a time', 'p50', 'p95', 'p99'],
        [
          [
            'encoder call on the whole context',
            duration(quantile(latency.encoder, 0.5)),
            duration(quantile(latency.encoder, 0.95)),
            duration(quantile(latency.encoder, 0.99)),
          ],
          [
            'match over HTTP',
            duration(quantile(latency.match, 0.5)),
            duration(quantile(latency.match, 0.95)),
            duration(quantile(latency.match, 0.99)),
          ],
          [
            'ratio',
            (quantile(latency.match, 0.5) / quantile(latency.encoder, 0.5)).toFixed(2),
            (quantile(latency.match, 0.95) / quantile(latency.encoder, 0.95)).toFixed(2),
            (quantile(latency.match, 0.99) / quantile(latency.encoder, 0.99)).toFixed(2),
          ],
        ],
      ),
      table(
        [`${workers} workers, all busy`, 'a second', 'ratio'],
        [
          ['encoder calls', rates.encoder.toFixed(0), '1'],
          ['matches over HTTP', rates.match.toFixed(0), (rates.match / rates.encoder).toFixed(2)],
        ],
      ),
    ].join('\n');
  });
}

type Ask = (context: string) => Promise<void>;
type Profile = Parameters<typeof createEncoder>[0];

async function inTurn(profile: Profile, contexts: readonly string[], ask: Ask) {
  const encoder = await createEncoder(profile, { workers: 1 });
  try {
    await timed(contexts.slice(0, 20), 1, (context) => Promise.all([encoder.embed(context, 'context'), ask(context)]));
    const took = { encoder: [] as number[], match: [] as number[] };
    for (const context of contexts) {
      took.encoder.push(...(await timed([context], 1, () => encoder.embed(context, 'context'))));
      took.match.push(...(await timed([context], 1, () => ask(context))));
    }
    return took;
  } finally {
    await encoder.close();
  }
}

/** Alternates the two, since the machine's speed drifts. */
async function throughput(profile: Profile, workers: number, contexts: readonly string[], ask: Ask) {
  const rounds = { encoder: [] as number[], match: [] as number[] };
  const rate = async (work: Ask) => {
    const begun = performance.now();
    await timed(contexts, workers * 4, work);
    return contexts.length / ((performance.now() - begun) / 1000);
  };
  for (let round = 0; round < 3; round++) {
    const encoder: Encoder = await createEncoder(profile, { workers });
    rounds.encoder.push(await rate((context) => encoder.embed(context, 'context').then(() => undefined)));
    await encoder.close();
    rounds.match.push(await rate(ask));
  }
  return { encoder: quantile(rounds.encoder, 0.5), match: quantile(rounds.match, 0.5) };
}
