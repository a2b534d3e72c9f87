import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import {
  calibratedFile,
  isForOtherEncoder,
  loadDecisionModel,
  modelText,
  plainModel,
} from '../../../models/scoring/decision-model.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a stored decision model', () => {
  const directory = temporaryDirectory();
  after(() => rm(directory, { recursive: true }));
  const file = calibratedFile(directory);
  const model = (weights: readonly number[], judge: { most: number; within: number } | null) => ({
    ...plainModel('made'),
    judge,
    score: { weights, bias: 1 },
  });
  const reranks = { most: 3, within: 0.1 };
  const readBack = (text: string) => {
    writeFileSync(file, text);
    return loadDecisionModel(directory, 'made').score;
  };

  it('is read as it was written, its weights by name', () => {
    const text = modelText(model([1, 2, 3, 4], null));
    expect(JSON.parse(text)).to.have.deep.property('score', {
      weights: { relevance: 1, advertisable: 2, mass: 3, overlap: 4 },
      bias: 1,
    });
    expect(readBack(text)).to.deep.equal({ weights: [1, 2, 3, 4], bias: 1 });
    expect(readBack(modelText(model([1, 2, 3, 4, 5], reranks))).weights).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('gives a feature without a weight none, and refuses weights of no feature', () => {
    const named = { ...model([], reranks), score: { weights: { judged: 5, relevance: 1 }, bias: 1 } };
    expect(readBack(JSON.stringify(named)).weights).to.deep.equal([1, 0, 0, 0, 5]);
    const misspelt = { ...named, score: { weights: { relevence: 5 }, bias: 1 } };
    expect(() => readBack(JSON.stringify(misspelt))).to.throw(
      `${file} cannot be used: the score has no feature "relevence", only relevance,`,
    );
  });

  it('is read from files whose weights have no names, the first of which lack overlap', () => {
    const unnamed = (...[weights, judge]: Parameters<typeof model>) => readBack(JSON.stringify(model(weights, judge)));
    expect(unnamed([1, 2, 3, 4], null)).to.deep.equal({ weights: [1, 2, 3, 4], bias: 1 });
    expect(unnamed([1, 2, 3], null).weights).to.deep.equal([1, 2, 3, 0]);
    expect(unnamed([1, 2, 3, 4, 5], reranks).weights).to.deep.equal([1, 2, 3, 4, 5]);
    expect(unnamed([1, 2, 3, 5], reranks).weights).to.deep.equal([1, 2, 3, 0, 5]);
  });

  describe('of an earlier build', () => {
    const earlier = (lastTurn: unknown) => JSON.stringify({ ...model([1, 2, 3, 4], null), lastTurn });

    it('is read if it gives the last turn no weight, and refused otherwise', () => {
      for (const unused of [undefined, null, { most: 0, gate: null }]) {
        expect(readBack(earlier(unused)).weights).to.deep.equal([1, 2, 3, 4]);
      }
      expect(() => readBack(earlier({ most: 1.5, gate: null }))).to.throw(
        `${file} cannot be used: its "lastTurn" gives the last turn a weight`,
      );
    });

    it('is ignored if it was fitted for another encoder, whatever it asks for', () => {
      writeFileSync(file, earlier({ most: 1.5, gate: null }));
      expect(isForOtherEncoder(directory, 'another')).to.equal(true);
      expect(loadDecisionModel(directory, 'another')).to.deep.equal(plainModel('another'));
    });
  });
});
