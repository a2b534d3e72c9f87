import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { modelText, plainModel, readModel } from '../../../models/scoring/decision-model.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a stored decision model', () => {
  const directory = temporaryDirectory();
  after(() => rm(directory, { recursive: true }));
  const readBack = (weights: readonly number[], judge: { most: number; within: number } | null) => {
    const file = path.join(directory, 'decision.json');
    writeFileSync(file, modelText({ ...plainModel('made'), judge, score: { weights, bias: 1 } }));
    return readModel(file).score;
  };

  it('is read as it was written', () => {
    expect(readBack([1, 2, 3, 4], null)).to.deep.equal({ weights: [1, 2, 3, 4], bias: 1 });
    expect(readBack([1, 2, 3, 4, 5], { most: 3, within: 0.1 }).weights).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('gives overlap no weight if it was fitted before overlap was a feature', () => {
    expect(readBack([1, 2, 3], null)).to.deep.equal({ weights: [1, 2, 3, 0], bias: 1 });
    expect(readBack([1, 2, 3, 5], { most: 3, within: 0.1 }).weights).to.deep.equal([1, 2, 3, 0, 5]);
  });
});
