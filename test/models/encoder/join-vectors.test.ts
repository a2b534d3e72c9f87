import { expect } from 'chai';
import { joinVectors } from '../../../models/encoder/join-vectors.js';
import { dot, normalised } from '../../../models/index/vector-index.js';

describe('joined vectors of two encoders', () => {
  const unit = (...values: number[]) => normalised(Float32Array.from(values));

  it('are unit vectors whose inner product is the weighted mean of both cosines', () => {
    const [query, ad] = [unit(1, 2, 3), unit(3, 1, 1)];
    const [otherQuery, otherAd] = [unit(1, 0), unit(1, 1)];
    const joined = joinVectors(query, otherQuery, 0.4);
    expect(joined).to.have.length(5);
    expect(dot(joined, 0, joined)).to.be.closeTo(1, 1e-6);
    const expected = (dot(query, 0, ad) + 0.4 * dot(otherQuery, 0, otherAd)) / 1.4;
    expect(dot(joined, 0, joinVectors(ad, otherAd, 0.4))).to.be.closeTo(expected, 1e-6);
  });
});
