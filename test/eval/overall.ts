import type { Summary } from './evaluate.js';

/** The metrics of a set that are averaged. */
const AVERAGED: Readonly<Record<string, (summary: Summary) => number | null | undefined>> = {
  'hit@1': (summary) => summary['hit@1'],
  auroc: (summary) => summary.auroc,
  precisionAt60: (summary) => summary.fill['60']?.precision,
  ece: (summary) => summary.ece,
  filled: (summary) => summary.decision?.filled,
  precision: (summary) => summary.decision?.precision?.[0],
  noAdShown: (summary) => summary.decision?.noAdShown,
  gateRecall: (summary) => summary.decision?.gate.recall,
  ordinarySilenced: (summary) => summary.decision?.gate.ordinary?.[0],
};
const LESS_IS_BETTER = new Set(['ece', 'noAdShown', 'ordinarySilenced']);

/** Returns mean and worst over the sets, and how many of their sensitive contexts got an ad. */
export function overallOf(summaries: readonly Summary[]) {
  const mean: Record<string, number> = {};
  const worst: Record<string, number> = {};
  for (const [name, figureOf] of Object.entries(AVERAGED)) {
    const figures = summaries.map(figureOf).filter((figure) => typeof figure === 'number');
    if (figures.length === 0) continue;
    mean[name] = Math.round((figures.reduce((sum, figure) => sum + figure, 0) / figures.length) * 1e4) / 1e4;
    worst[name] = LESS_IS_BETTER.has(name) ? Math.max(...figures) : Math.min(...figures);
  }
  const shown = summaries.map(({ decision }) => decision?.sensitiveShown ?? [0, 0]);
  const sensitiveShown = [0, 1].map((at) => shown.reduce((sum, counts) => sum + counts[at]!, 0));
  return { mean, worst, sensitiveShown };
}
