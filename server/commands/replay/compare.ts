import type { NoFillReason } from '../../../models/schema/event-kinds.js';
import type { Decision } from '../../domain/decision.js';
import { readConversation } from '../../decide/conversation/conversation.js';
import type { RecordedContext } from '../shared/read-contexts.js';

/** A conversation with its two decisions. */
export interface Replayed {
  readonly context: RecordedContext;
  readonly before: Decision;
  readonly after: Decision;
}

/** The result of a comparison. */
export interface DecisionComparison {
  readonly contexts: number;
  readonly before: SideFigures;
  readonly after: SideFigures;
  readonly changes: Readonly<Record<Change, number>>;
  /** The first few of each kind of change. They contain the conversations' text. */
  readonly examples: readonly Example[];
}

/** `other`: another creative wins; `gained`: an ad instead of none; `lost`: none instead of an ad. */
export type Change = 'same' | 'other' | 'gained' | 'lost';

export interface SideFigures {
  readonly shown: number;
  /** Share of the conversations that get an ad. */
  readonly fill: number;
  /** Mean score of the shown ads: the share that should be right if the score is calibrated; null: none is shown. */
  readonly expectedPrecision: number | null;
  /** Share of right ads among those whose right answer is known; null: known for none. */
  readonly precision: number | null;
  readonly judged: number;
  /** Number of no-fills by reason. */
  readonly noFills: Readonly<Partial<Record<NoFillReason, number>>>;
}

export interface Example {
  readonly change: Exclude<Change, 'same'>;
  readonly context: string;
  readonly before: ReplayedDecision;
  readonly after: ReplayedDecision;
}

export type ReplayedDecision =
  { readonly id: string; readonly name: string; readonly score: number } | { readonly reason: NoFillReason };

/** Compares the decisions. @param examples max examples per kind of change */
export function compare(replayed: readonly Replayed[], examples: number): DecisionComparison {
  const changes = { same: 0, other: 0, gained: 0, lost: 0 };
  const examplesShown: Example[] = [];
  for (const { context, before, after } of replayed) {
    const change = changeOf(before, after);
    changes[change]++;
    if (change === 'same' || changes[change] > examples) continue;
    examplesShown.push({
      change,
      context: readConversation(context).whole,
      before: answer(before),
      after: answer(after),
    });
  }
  return {
    contexts: replayed.length,
    before: figures(replayed.map(({ context, before }) => [context, before])),
    after: figures(replayed.map(({ context, after }) => [context, after])),
    changes,
    examples: examplesShown,
  };
}

function changeOf(before: Decision, after: Decision): Change {
  if (before.filled !== after.filled) return after.filled ? 'gained' : 'lost';
  return before.filled && after.filled && before.creative.id !== after.creative.id ? 'other' : 'same';
}

function answer(decision: Decision): ReplayedDecision {
  if (!decision.filled) return { reason: decision.reason };
  const { creative, score } = decision;
  return { id: creative.id, name: creative.name, score };
}

function figures(answers: readonly (readonly [RecordedContext, Decision])[]): SideFigures {
  let shown = 0;
  let scores = 0;
  let judged = 0;
  let right = 0;
  const noFills: Partial<Record<NoFillReason, number>> = {};
  for (const [{ relevant }, decision] of answers) {
    if (!decision.filled) {
      noFills[decision.reason] = (noFills[decision.reason] ?? 0) + 1;
      continue;
    }
    shown++;
    scores += decision.score;
    if (relevant === undefined) continue;
    judged++;
    if (relevant.includes(decision.creative.id)) right++;
  }
  return {
    shown,
    fill: shown / answers.length,
    expectedPrecision: shown === 0 ? null : scores / shown,
    precision: judged === 0 ? null : right / judged,
    judged,
    noFills,
  };
}
