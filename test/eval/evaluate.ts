import type { Decide, Decision } from '../../server/domain/decision.js';
import pLimit from 'p-limit';
import { calibrationError } from '../../models/scoring/calibration-error.js';
import { metrics, type Judged, type Metrics } from './metrics.js';
import type { EvalRanker } from './rankers.js';
import type { EvalContext } from './set.js';

/** What the whole decision does at its floor, gate and eligibility included. */
export interface DecisionSummary {
  /** Share of the contexts with a right ad that were shown one. */
  readonly filled: number;
  /** Right ads among the shown. */
  readonly precision: number | null;
  /** Share of the no-ad contexts that were shown an ad, and the same without borderline ones. */
  readonly noAdShown: number | null;
  readonly noAdShownNoBorderline: number | null;
  /** Sensitive contexts shown an ad, of how many. */
  readonly sensitiveShown: readonly [shown: number, all: number];
  /** Share of contexts that the gate for sensitive conversations keeps ads from. */
  readonly gate: {
    /** Of those that are sensitive. */
    readonly recall: number | null;
    /** Of those that only look it. */
    readonly lookalikes: number | null;
    /** Of those with a right ad. */
    readonly rightAd: number | null;
    /** Of the other no-ad ones. */
    readonly otherNoAd: number | null;
  };
  /** Answers by reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

export interface Evaluation {
  readonly summary: Metrics & {
    readonly noBorderline?: Pick<Metrics, 'contexts' | 'hit@1' | 'auroc' | 'fill'>;
    /** Every ad judged for the context counts as right: is it on the topic? */
    readonly pooled?: Metrics;
    readonly ece?: number;
    readonly decision?: DecisionSummary;
  };
  readonly run: readonly { readonly id: string; readonly ranked: Judged['ranked'] }[];
}

/** Ranks every context, then judges ranking, score and (where there is one) the whole decision. */
export async function evaluate(
  contexts: readonly EvalContext[],
  ranker: EvalRanker,
  decide: Decide | undefined,
  inFlight: number,
): Promise<Evaluation> {
  const ranked = await pLimit(inFlight).map(contexts, ranker);
  const judged = contexts.map((context, at) => ({ ...context, ranked: ranked[at]! }));
  const clear = judged.filter(({ borderline }) => !borderline);
  const { contexts: count, 'hit@1': hit, auroc, fill } = metrics(clear);
  return {
    run: judged.map(({ id, ranked }) => ({ id, ranked })),
    summary: {
      ...metrics(judged),
      ...(clear.length < judged.length && { noBorderline: { contexts: count, 'hit@1': hit, auroc, fill } }),
      ...(judged.some(({ judgedIrrelevant }) => judgedIrrelevant) && { pooled: metrics(judged.map(pooled)) }),
      ...(decide !== undefined && {
        ece: calibrationError(
          clear.map((context) => ({ score: context.ranked[0]?.[1] ?? 0, right: isRight(context) })),
        ),
        decision: summarise(
          contexts,
          await pLimit(inFlight).map(contexts, ({ context }) => decide({ context }, anyone())),
        ),
      }),
    },
  };
}

/** Anybody's publisher: no settings of its own. */
function anyone() {
  const lists = { blockedCategories: [], blockedAdvertisers: [], allowedTopics: [] };
  return { publisher: { name: 'eval', test: true, floor: null, ...lists }, session: undefined, now: Date.now() };
}

function isRight({ relevant, ranked }: Judged): boolean {
  return ranked[0] !== undefined && relevant.includes(ranked[0][0]);
}

function pooled<T extends Judged & { judgedIrrelevant?: readonly string[] }>(context: T): T {
  return { ...context, relevant: [...context.relevant, ...(context.judgedIrrelevant ?? [])] };
}

function summarise(contexts: readonly EvalContext[], decisions: readonly Decision[]): DecisionSummary {
  const all = contexts.map((context, at) => ({ context, decision: decisions[at]! }));
  const shown = all.filter(({ decision }) => decision.filled);
  const right = shown.filter(
    ({ context, decision }) => decision.filled && context.relevant.includes(decision.creative.id),
  );
  const shareShown = (which: (context: EvalContext) => boolean) => {
    const some = all.filter(({ context }) => which(context));
    return some.length === 0 ? null : round(some.filter(({ decision }) => decision.filled).length / some.length);
  };
  const sensitive = all.filter(({ context }) => context.sensitive === true);
  const gated = (which: (context: EvalContext) => boolean) => {
    const some = all.filter(({ context }) => which(context));
    const kept = some.filter(({ decision }) => !decision.filled && decision.reason === 'sensitive');
    return some.length === 0 ? null : round(kept.length / some.length);
  };
  const reasons: Record<string, number> = {};
  for (const { decision } of all) {
    const reason = decision.filled ? 'filled' : decision.reason;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  return {
    filled: shareShown(({ relevant }) => relevant.length > 0) ?? 0,
    precision: shown.length === 0 ? null : round(right.length / shown.length),
    noAdShown: shareShown(({ relevant }) => relevant.length === 0),
    noAdShownNoBorderline: shareShown(({ relevant, borderline }) => relevant.length === 0 && !borderline),
    sensitiveShown: [sensitive.filter(({ decision }) => decision.filled).length, sensitive.length],
    gate: {
      recall: gated((context) => context.sensitive === true),
      lookalikes: gated((context) => context.sensitive === false),
      rightAd: gated(({ relevant }) => relevant.length > 0),
      otherNoAd: gated((context) => context.relevant.length === 0 && context.sensitive === undefined),
    },
    reasons,
  };
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;
