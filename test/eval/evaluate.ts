import type { Decide, Decision } from '../../server/domain/decision.js';
import pLimit from 'p-limit';
import { calibrationError } from '../../models/scoring/calibration-error.js';
import { metrics, type Judged, type Metrics } from './metrics.js';
import type { EvalRanker } from './rankers.js';
import type { EvalContext } from './set.js';

/** The results of whole decisions at the model's floor, including gate and eligibility. */
export interface DecisionSummary {
  /** Share of the contexts with a relevant ad that got an ad. */
  readonly filled: number;
  /** Share of served ads that are relevant, and that are relevant or acceptable. */
  readonly precision: Share;
  readonly acceptable: Share;
  /** Share of the no-ad contexts that got an ad, and the same without borderline ones. */
  readonly noAdShown: number | null;
  readonly noAdShownNoBorderline: number | null;
  /** Sensitive contexts that got an ad, and all sensitive contexts. */
  readonly sensitiveShown: readonly [shown: number, all: number];
  /** Share of contexts suppressed by the sensitivity gate. */
  readonly gate: {
    /** Of sensitive contexts. */
    readonly recall: number | null;
    /** Of contexts that only look sensitive. */
    readonly lookalikes: number | null;
    /** Of all contexts that are not sensitive. */
    readonly ordinary: Share;
    /** Of contexts with a relevant ad. */
    readonly rightAd: number | null;
    /** Of the other no-ad contexts. */
    readonly otherNoAd: number | null;
  };
  /**
   * By kind of context, if the set has kinds: how many got an ad, and how many of these ads are relevant or acceptable.
   */
  readonly kinds?: Readonly<Record<string, KindFigures>>;
  /** Decisions by reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** A share with its 95 % interval (Wilson, 1927); null if it is of nothing. */
export type Share = readonly [share: number, from: number, to: number] | null;

export interface KindFigures {
  readonly contexts: number;
  readonly shown: number;
  readonly right: number;
  readonly acceptable: number;
}

export interface Evaluation {
  readonly summary: Metrics & {
    readonly noBorderline?: Pick<Metrics, 'contexts' | 'hit@1' | 'auroc' | 'fill'>;
    /** Counts every ad judged for the context as relevant, to measure whether the ad is on topic. */
    readonly pooled?: Metrics;
    /** Share of the answerable contexts whose first ad is relevant, and relevant or acceptable. */
    readonly first: { readonly right: Share; readonly acceptable: Share };
    readonly ece?: number;
    readonly decision?: DecisionSummary;
  };
  readonly run: readonly { readonly id: string; readonly ranked: Judged['ranked'] }[];
}

/** The results for one file of contexts. */
export type Summary = Evaluation['summary'];

/** Ranks every context, then evaluates the ranking, the score and, if `decide` is given, the whole decision. */
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
      first: firstOf(judged.filter(({ relevant }) => relevant.length > 0)),
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

/** Returns a publisher without settings of its own. */
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
  const right = shown.filter(isRightAd);
  const shareShown = (which: (context: EvalContext) => boolean) => {
    const some = all.filter(({ context }) => which(context));
    return some.length === 0 ? null : round(some.filter(({ decision }) => decision.filled).length / some.length);
  };
  const ordinary = all.filter(({ context }) => context.sensitive !== true);
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
    precision: share(right.length, shown.length),
    acceptable: share(right.length + shown.filter(isAcceptable).length, shown.length),
    noAdShown: shareShown(({ relevant }) => relevant.length === 0),
    noAdShownNoBorderline: shareShown(({ relevant, borderline }) => relevant.length === 0 && !borderline),
    sensitiveShown: [sensitive.filter(({ decision }) => decision.filled).length, sensitive.length],
    gate: {
      recall: gated((context) => context.sensitive === true),
      lookalikes: gated((context) => context.sensitive === false),
      ordinary: share(
        ordinary.filter(({ decision }) => !decision.filled && decision.reason === 'sensitive').length,
        ordinary.length,
      ),
      rightAd: gated(({ relevant }) => relevant.length > 0),
      otherNoAd: gated((context) => context.relevant.length === 0 && context.sensitive === undefined),
    },
    ...(contexts.some(({ kind }) => kind !== undefined) && { kinds: kindsOf(all) }),
    reasons,
  };
}

interface Decided {
  readonly context: EvalContext;
  readonly decision: Decision;
}

const isRightAd = ({ context, decision }: Decided): boolean =>
  decision.filled && context.relevant.includes(decision.creative.id);
const isAcceptable = ({ context, decision }: Decided): boolean =>
  decision.filled && context.acceptable?.includes(decision.creative.id) === true;

function kindsOf(all: readonly Decided[]): Record<string, KindFigures> {
  const kinds: Record<string, KindFigures> = {};
  for (const kind of new Set(all.map(({ context }) => context.kind ?? 'other'))) {
    const some = all.filter(({ context }) => (context.kind ?? 'other') === kind);
    const shown = some.filter(({ decision }) => decision.filled).length;
    const [right, acceptable] = [some.filter(isRightAd).length, some.filter(isAcceptable).length];
    kinds[kind] = { contexts: some.length, shown, right, acceptable };
  }
  return kinds;
}

function firstOf(contexts: readonly (Judged & Pick<EvalContext, 'acceptable'>)[]) {
  const right = contexts.filter(isRight).length;
  const acceptableFirst = contexts.filter(
    ({ ranked, acceptable }) => ranked[0] && acceptable?.includes(ranked[0][0]),
  ).length;
  return { right: share(right, contexts.length), acceptable: share(right + acceptableFirst, contexts.length) };
}

function share(some: number, all: number): Share {
  if (all === 0) return null;
  const z = 1.96;
  const p = some / all;
  const middle = (p + z ** 2 / (2 * all)) / (1 + z ** 2 / all);
  const half = (z / (1 + z ** 2 / all)) * Math.sqrt((p * (1 - p)) / all + z ** 2 / (4 * all ** 2));
  return [round(p), round(Math.max(0, middle - half)), round(Math.min(1, middle + half))];
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;
