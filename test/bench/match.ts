import { availableParallelism } from 'node:os';
import { createEncoder } from '../../models/encoder/pool.js';
import { readEnvironment } from '../../platform/command-line/settings.js';
import { modelOf, readProfile } from '../../models/encoder/profile.js';
import { readConfig } from '../../server/config/config.js';
import { readConversation } from '../../server/decide/conversation/conversation.js';
import { languageOf } from '../../server/decide/conversation/language.js';
import { createLanguagePipelines } from '../../server/decide/language-pipelines.js';
import { conversations, matcherOf, timed, withService } from './service.js';
import { duration, quantile, table } from './table.js';

/**
 * Compares a match over HTTP with two others on the same conversation, alternating so that all have the same noise: one
 * encoder call on the whole conversation, and all model calls that a decision needs (both encoders, the turns for the
 * gate), made by the same code without server and ranking. Then measures the throughput of each. Uses the encoder that
 * PROFILE or MODEL names; every conversation is new.
 */
export async function benchMatch(count = 400): Promise<string> {
  const workers = Math.min(4, availableParallelism());
  return withService(workers, async ({ origin, key, dataDir }) => {
    const matched = matcherOf(origin, key);
    const ask = async (context: string) => {
      const status = await matched(context);
      if (status !== 200 && status !== 404) throw new Error(`match answered ${status}`);
    };
    const open = () => openModels(dataDir, workers);
    const latency = await inTurn(open, conversations(count), ask);
    const rates = await throughput(open, workers, conversations(count * 2), ask);
    const rows = (share: number) => WORKS.map((work) => quantile(latency[work], share));
    const ratios = (values: readonly number[]) =>
      [values[2]! / values[0]!, values[2]! / values[1]!].map((ratio) => ratio.toFixed(2));
    return [
      table(
        ['one at a time', 'encoder call on the whole', 'model calls of the decision', 'match over HTTP', 'ratios'],
        [0.5, 0.95, 0.99].map((share) => [
          `p${100 * share}`,
          ...rows(share).map(duration),
          ratios(rows(share)).join(' · '),
        ]),
      ),
      table(
        [`${workers} workers, all busy`, 'encoder calls', 'model calls of decisions', 'matches over HTTP', 'ratios'],
        [
          [
            'a second',
            ...WORKS.map((work) => rates[work].toFixed(0)),
            ratios(WORKS.map((work) => rates[work])).join(' · '),
          ],
        ],
      ),
    ].join('\n');
  });
}

type Ask = (context: string) => Promise<unknown>;
type Work = 'encoder' | 'models' | 'match';
const WORKS: readonly Work[] = ['encoder', 'models', 'match'];
type Open = () => ReturnType<typeof openModels>;

/** Opens the models as the server does. */
async function openModels(dataDir: string, workers: number) {
  const encoder = await createEncoder(readProfile(modelOf(readConfig(readEnvironment())), ''), { workers });
  const pipelineOf = createLanguagePipelines(encoder, dataDir);
  return {
    encoder: (context: string) => encoder.embed(context, 'context'),
    async models(context: string) {
      const conversation = readConversation({ context });
      // No session, so that nothing is remembered.
      await pipelineOf(languageOf(conversation))?.ranker.prepare(conversation, null);
    },
    close: () => encoder.close(),
  };
}

async function inTurn(open: Open, contexts: readonly string[], ask: Ask): Promise<Record<Work, number[]>> {
  const { encoder, models, close } = await open();
  const works: Record<Work, Ask> = { encoder, models, match: ask };
  const took: Record<Work, number[]> = { encoder: [], models: [], match: [] };
  try {
    for (const work of WORKS) await timed(contexts.slice(0, 20), 1, works[work]);
    for (const context of contexts) {
      for (const work of WORKS) took[work].push(...(await timed([context], 1, works[work])));
    }
    return took;
  } finally {
    await close();
  }
}

/**
 * Alternates between the works, because the machine's speed drifts. Only one of them has its models in memory besides
 * the server's.
 */
async function throughput(
  open: Open,
  workers: number,
  contexts: readonly string[],
  ask: Ask,
): Promise<Record<Work, number>> {
  const rate = async (work: Ask): Promise<number> => {
    const begun = performance.now();
    await timed(contexts, workers * 4, work);
    return contexts.length / ((performance.now() - begun) / 1000);
  };
  const rounds: Record<Work, number[]> = { encoder: [], models: [], match: [] };
  for (let round = 0; round < 3; round++) {
    const { encoder, models, close } = await open();
    rounds.encoder.push(await rate(encoder));
    rounds.models.push(await rate(models));
    await close();
    rounds.match.push(await rate(ask));
  }
  return {
    encoder: quantile(rounds.encoder, 0.5),
    models: quantile(rounds.models, 0.5),
    match: quantile(rounds.match, 0.5),
  };
}
