/** An answer: its features, whether it is right, and its weight. */
export interface Sample {
  readonly features: readonly number[];
  readonly right: boolean;
  readonly weight: number;
}

/** The log odds are `weights · features + bias`. */
export interface Fit {
  readonly weights: readonly number[];
  readonly bias: number;
}

const STEPS = 50;
const TOLERANCE = 1e-9;

/**
 * Fits a logistic regression by Newton's method (iteratively reweighted least squares). Weights and bias are pulled
 * towards `towards`, and no weight goes below 0: a score must never fall as a feature rises.
 *
 * @param strength of the L2 penalties, relative to a total sample weight of 1
 */
export function fitLogistic(
  samples: readonly Sample[],
  towards: Fit,
  strength: { readonly weights: number; readonly bias: number },
): Fit {
  const total = samples.reduce((sum, { weight }) => sum + weight, 0);
  const rows = samples.map(({ features, right, weight }) => ({
    x: [...features, 1],
    y: right ? 1 : 0,
    weight: weight / total,
  }));
  const prior = [...towards.weights, towards.bias].map((mean, at): Prior => ({
    mean,
    strength: at < towards.weights.length ? strength.weights : strength.bias,
  }));
  const held = new Set<number>();
  for (;;) {
    const solution = newton(rows, prior, held);
    const worst = solution.slice(0, -1).reduce((least, value, at) => (value < (solution[least] ?? 0) ? at : least), -1);
    if (worst < 0) return { weights: solution.slice(0, -1), bias: solution.at(-1)! };
    held.add(worst);
  }
}

interface Row {
  readonly x: readonly number[];
  readonly y: number;
  readonly weight: number;
}

/** The prior of a coordinate: its mean, and how strongly it pulls. */
interface Prior {
  readonly mean: number;
  readonly strength: number;
}

/** @param held coordinates that stay 0 */
function newton(rows: readonly Row[], prior: readonly Prior[], held: ReadonlySet<number>): number[] {
  const free = [...prior.keys()].filter((at) => !held.has(at));
  const beta = prior.map(() => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = free.map((at) => prior[at]!.strength * (beta[at]! - prior[at]!.mean));
    const hessian = free.map((at, row) => free.map((_, column) => (row === column ? prior[at]!.strength : 0)));
    for (const { x, y, weight } of rows) {
      const p = 1 / (1 + Math.exp(-x.reduce((sum, value, at) => sum + value * beta[at]!, 0)));
      for (const [row, at] of free.entries()) {
        gradient[row]! += weight * (p - y) * x[at]!;
        for (const [column, other] of free.entries())
          hessian[row]![column]! += weight * p * (1 - p) * x[at]! * x[other]!;
      }
    }
    const change = solve(hessian, gradient);
    // A longer step would leave the range in which the second derivative is meaningful.
    const longest = Math.max(...change.map(Math.abs));
    const scale = Math.min(1, 5 / longest);
    for (const [row, at] of free.entries()) beta[at]! -= scale * change[row]!;
    if (longest < TOLERANCE) break;
  }
  return beta;
}

/** Solves a small symmetric system by Gaussian elimination with row pivoting. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!]);
  for (let at = 0; at < rows.length; at++) {
    const pivot = rows.reduce(
      (best, row, below) => (below > at && Math.abs(row[at]!) > Math.abs(rows[best]![at]!) ? below : best),
      at,
    );
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    for (let below = at + 1; below < rows.length; below++) {
      const factor = rows[below]![at]! / rows[at]![at]!;
      for (let column = at; column <= rows.length; column++) rows[below]![column]! -= factor * rows[at]![column]!;
    }
  }
  const solution = rows.map(() => 0);
  for (let at = rows.length - 1; at >= 0; at--) {
    const known = solution.reduce((sum, value, column) => (column > at ? sum + value * rows[at]![column]! : sum), 0);
    solution[at] = (rows[at]![rows.length]! - known) / rows[at]![at]!;
  }
  return solution;
}
