import { reliability } from '../../../models/scoring/calibration-error.js';
import { fillPoint, type Judged } from '../metrics.js';

/** A point of a set's curve. */
export interface CurvePoint {
  readonly set: string;
  readonly x: number;
  readonly y: number;
}

/** Returns predicted against observed shares in 15 bins of equal size: on the diagonal, a score is a probability. */
export function reliabilityCurve(set: string, contexts: readonly Judged[]): CurvePoint[] {
  const answers = contexts.map(({ relevant, ranked }) => ({
    score: ranked[0]?.[1] ?? 0,
    right: ranked[0] !== undefined && relevant.includes(ranked[0][0]),
  }));
  return reliability(answers).map(({ predicted: promised, observed: kept }) => ({ set, x: promised, y: kept }));
}

const STEPS = 20;

/**
 * Returns the share of the answerable contexts that get an ad, against the precision of the served ads, from strict
 * floors to none.
 */
export function precisionCurve(set: string, contexts: readonly Judged[]): CurvePoint[] {
  const tops = contexts
    .filter(({ relevant }) => relevant.length > 0)
    .map(({ ranked }) => ranked[0]?.[1] ?? 0)
    .toSorted((a, b) => b - a);
  const cuts = Array.from({ length: STEPS }, (_, step) => tops[Math.ceil(((step + 1) / STEPS) * tops.length) - 1]!);
  return [...new Set(cuts)].flatMap((cut) => {
    const { filled, precision } = fillPoint(contexts, cut);
    return precision === null ? [] : [{ set, x: filled, y: precision }];
  });
}
