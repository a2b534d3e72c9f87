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
  const model = (weights: readonly number[]) => ({ ...plainModel('made'), score: { weights, bias: 1 } });
  const readBack = (text: string) => {
    writeFileSync(file, text);
    return loadDecisionModel(directory, 'made');
  };

  it('is read as it was written, its weights by name', () => {
    const text = modelText(model([1, 2, 3, 4]));
    expect(JSON.parse(text)).to.have.deep.property('score', {
      weights: { relevance: 1, advertisable: 2, mass: 3, overlap: 4 },
      bias: 1,
    });
    expect(readBack(text)).to.deep.equal(model([1, 2, 3, 4]));
  });

  it('gives a feature without a weight none, and refuses weights of no feature', () => {
    const named = (weights: object) => JSON.stringify({ ...model([]), score: { weights, bias: 1 } });
    expect(readBack(named({ mass: 5, relevance: 1 })).score.weights).to.deep.equal([1, 0, 5, 0]);
    expect(() => readBack(named({ relevence: 5 }))).to.throw(
      `${file} cannot be used: the score has no feature "relevence", only relevance,`,
    );
  });

  it('is refused with the field that is wrong', () => {
    for (const [field, parts] of Object.entries({
      floor: { floor: '0.6' },
      'lexical.weight': { lexical: { weight: null, saturation: 1 } },
    })) {
      const read = () => readBack(JSON.stringify({ ...model([1, 2, 3, 4]), ...parts }));
      expect(read).to.throw(`${file} cannot be used: ${field} must be number`);
    }
  });

  it('is read from files whose weights have no names, the first of which lack overlap', () => {
    const unnamed = (...weights: readonly number[]) => readBack(JSON.stringify(model(weights))).score.weights;
    expect(unnamed(1, 2, 3, 4)).to.deep.equal([1, 2, 3, 4]);
    expect(unnamed(1, 2, 3)).to.deep.equal([1, 2, 3, 0]);
  });

  describe('of an earlier build', () => {
    const earlier = (parts: object) => JSON.stringify({ ...model([1, 2, 3, 4]), ...parts });

    it('is read if it asks for neither a second ranking nor a weight of the last turn', () => {
      for (const lastTurn of [undefined, null, { most: 0, gate: null }]) {
        expect(readBack(earlier({ judge: null, lastTurn }))).to.deep.equal(model([1, 2, 3, 4]));
      }
    });

    it('is refused if it asks for either', () => {
      expect(() => readBack(earlier({ judge: { most: 6, within: 0.3 } }))).to.throw(
        `${file} cannot be used: its "judge" asks for a second ranking`,
      );
      expect(() => readBack(earlier({ lastTurn: { most: 1.5, gate: null } }))).to.throw(
        `${file} cannot be used: its "lastTurn" gives the last turn a weight`,
      );
    });

    it('is ignored if it was fitted for another encoder, whatever it asks for', () => {
      writeFileSync(file, earlier({ judge: { most: 6, within: 0.3 }, lastTurn: { most: 1.5, gate: null } }));
      expect(isForOtherEncoder(directory, 'another')).to.equal(true);
      expect(loadDecisionModel(directory, 'another')).to.deep.equal(plainModel('another'));
    });
  });
});
