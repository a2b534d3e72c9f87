import { expect } from 'chai';
import { lastTurnShare, queryVector } from '../../../models/scoring/query-vector.js';
import { plainModel } from '../../../models/scoring/decision-model.js';

const whole = Float32Array.of(1, 0);
const last = Float32Array.of(0, 1);
const model = (most: number, bias: number | null) => ({
  ...plainModel(''),
  lastTurn: { most, gate: bias === null ? null : { weights: new Float32Array(4), bias } },
});

describe('the vector that a context is searched with', () => {
  it('is that of the whole conversation if the model gives the last turn no weight', () => {
    expect([...queryVector({ whole, last }, model(0, null))]).to.deep.equal([1, 0]);
  });

  it('is moved towards the last turn by as much as the model’s gate says', () => {
    expect(lastTurnShare({ whole, last }, model(1.5, null))).to.equal(1.5);
    expect(lastTurnShare({ whole, last }, model(1.5, 0))).to.equal(0.75);
    const [x, y] = queryVector({ whole, last }, model(1.5, 0));
    expect(y! / x!).to.be.closeTo(0.75, 1e-6);
  });
});
