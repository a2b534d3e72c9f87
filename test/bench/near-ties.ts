import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEncoder } from '../../models/encoder/pool.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';
import { loadDecisionModel } from '../../models/scoring/decision-model.js';
import type { Creative, Pricing } from '../../models/schema/creative.js';
import { indexSet } from '../../server/commands/calibrate/index-set.js';
import { expectedMicros } from '../../server/domain/billing.js';
import { createRanker, type ScoredCandidate } from '../../server/decide/ranker.js';
import { readConversation } from '../../server/decide/conversation/conversation.js';
import { NEAR_TIE_DEPTH, chooseWinner } from '../../server/decide/choose-winner.js';
import { contextFiles, type EvalContext, readJsonLines } from '../eval/set.js';
import { table } from './table.js';

const SETS = ['everyday', 'ca-prod', 'star', 'clinc'];
const WIDTHS = [0, 0.0025, 0.005, 0.01, 0.02, 0.05];
/** Maximum number of contexts per file: every nth, the same ones in each run. */
const MOST = 600;

/**
 * Measures what breaking near-ties by earnings costs in relevance and gains in revenue, by the width of a near-tie:
 * hit@1 over contexts with a relevant ad, and the expected earnings of the winning ads relative to ranking by relevance
 * alone. Prices are synthetic: half of the ads are priced by view, half by click, in a range of one to twenty by their
 * position in the feed.
 */
export async function benchNearTies(split = 'test'): Promise<string> {
  const encoder = await createEncoder(readProfile(`${PROFILES.fast}?languages=en`, ''), {
    workers: 2,
    queueLimit: Infinity,
  });
  try {
    const rows: string[][] = [];
    for (const set of SETS) {
      const directory = fileURLToPath(new URL(`../../../test/eval/${set}`, import.meta.url));
      const dataDir = path.resolve('data', 'eval', set);
      const snapshot = await indexSet(directory, dataDir, encoder, PROFILES.fast);
      const creatives = snapshot.creatives.map((creative, at) => ({ ...creative, pricing: syntheticPrice(at) }));
      const priced = { ...snapshot, creatives };
      const ranker = createRanker(encoder, loadDecisionModel(dataDir, encoder.fingerprint));
      const all = contextFiles(directory, split).flatMap((file) => readJsonLines<EvalContext>(file));
      const answerable = all.filter(({ relevant }) => relevant.length > 0);
      const contexts = answerable.filter((_, at) => at % Math.ceil(answerable.length / MOST) === 0);
      const rankings = await Promise.all(
        contexts.map(async ({ context }) =>
          ranker.rank(await ranker.prepare(readConversation({ context }), null), priced, null, NEAR_TIE_DEPTH),
        ),
      );
      const earnings = ({ pricing }: Creative): number => expectedMicros(pricing);
      const preference = { expectedMicros: earnings, isForeign: () => false };
      const results = WIDTHS.map((width) => {
        const winners = rankings.map((ranked): ScoredCandidate => chooseWinner(ranked, 0, preference, width)!);
        const right = winners.filter(({ creative }, at) => contexts[at]!.relevant.includes(creative.id));
        return {
          hit: right.length / contexts.length,
          earned: winners.reduce((sum, { creative }) => sum + earnings(creative), 0),
        };
      });
      for (const [at, { hit, earned }] of results.entries()) {
        const gain = 100 * (earned / results[0]!.earned - 1);
        rows.push([
          at === 0 ? set : '',
          String(contexts.length),
          String(WIDTHS[at]),
          hit.toFixed(4),
          `${gain.toFixed(1)} %`,
        ]);
      }
    }
    return table(['near-ties', 'contexts', 'within', 'hit@1', 'earnings'], rows);
  } finally {
    await encoder.close();
  }
}

/** Spread by the golden ratio, so that neighbors in the feed (often variants of one ad) differ. */
function syntheticPrice(at: number): Pricing {
  const share = ((at + 1) * 0.618_033_988_749_895) % 1;
  const thousandth = Math.round(500 + 9500 * share);
  return at % 2 === 0 ? { model: 'cpm', micros: thousandth * 1000 } : { model: 'cpc', micros: thousandth * 100 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await benchNearTies(process.argv[2])}\n`);
}
