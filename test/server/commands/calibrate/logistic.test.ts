import { expect } from 'chai';
import { fitLogistic, type Sample } from '../../../../server/commands/calibrate/logistic.js';
import { floorFor } from '../../../../server/commands/calibrate/floor.js';

describe('fitting the score', () => {
  /** Answers drawn from known odds with a fixed random sequence. */
  const drawn = (count: number, odds: (x: readonly number[]) => number): Sample[] => {
    const random = sequence(7);
    return Array.from({ length: count }, () => {
      const features = [random() * 2 - 1, random() * 2 - 1, random() * 2 - 1];
      return { features, right: random() < 1 / (1 + Math.exp(-odds(features))), weight: 1 };
    });
  };

  it('finds the odds that answers were drawn from', () => {
    const { weights, bias } = fitLogistic(
      drawn(40_000, ([a, b, c]) => 3 * a! + b! + 0.5 * c! - 1),
      { weights: [0, 0, 0], bias: 0 },
      { weights: 1e-6, bias: 1e-6 },
    );
    for (const [at, value] of [3, 1, 0.5].entries()) expect(weights[at]).to.be.closeTo(value, 0.12);
    expect(bias).to.be.closeTo(-1, 0.06);
  });

  it('ends where the gradient of the penalised likelihood is zero', () => {
    const samples = drawn(500, ([a, b]) => 2 * a! + b!);
    const strength = { weights: 0.01, bias: 0.05 };
    const { weights, bias } = fitLogistic(samples, { weights: [1, 1, 1], bias: 2 }, strength);
    const slopeAlong = (along: (features: readonly number[]) => number) =>
      samples.reduce((sum, { features, right }) => {
        const odds = features.reduce((total, value, feature) => total + value * weights[feature]!, bias);
        return sum + ((1 / (1 + Math.exp(-odds)) - Number(right)) * along(features)) / samples.length;
      }, 0);
    for (const [at, weight] of weights.entries()) {
      if (weight > 0)
        expect(slopeAlong((features) => features[at]!) + strength.weights * (weight - 1)).to.be.closeTo(0, 1e-7);
    }
    expect(slopeAlong(() => 1) + strength.bias * (bias - 2)).to.be.closeTo(0, 1e-7);
  });

  it('never lets the score fall as a feature rises', () => {
    const { weights } = fitLogistic(
      drawn(2000, ([a, b]) => 2 * a! - 3 * b!),
      { weights: [0, 0, 0], bias: 0 },
      { weights: 1e-6, bias: 1e-6 },
    );
    expect(weights[1]).to.equal(0);
    expect(weights[0]).to.be.above(1);
  });

  it('stays near the initial model when there are few samples', () => {
    const { weights, bias } = fitLogistic(
      drawn(60, ([a]) => a!),
      { weights: [4, 5, 6], bias: -3 },
      { weights: 100, bias: 100 },
    );
    for (const [at, value] of [4, 5, 6].entries()) expect(weights[at]).to.be.closeTo(value, 0.01);
    expect(bias).to.be.closeTo(-3, 0.01);
  });

  it('sets the floor to the lowest at which every set has the wanted precision, and never below one half', () => {
    const answers = (wrongBelow: number) =>
      Array.from({ length: 1000 }, (_, at) => {
        const score = (at + 0.5) / 1000;
        return { score, right: score >= wrongBelow, noAd: false, weight: 1 };
      });
    expect(floorFor([answers(0.2)], 0.9)).to.deep.equal({ floor: 0.5, precision: 1 });
    expect(floorFor([answers(0.2), answers(0.7)], 1).floor).to.be.closeTo(0.7, 0.006);
    expect(floorFor([answers(2)], 0.9).precision).to.equal(0);
  });
});

/** Returns the same sequence of numbers in [0, 1) in every run (Park and Miller, 1988). */
function sequence(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
