import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { embedTexts } from '../../indexer/make-vectors.js';
import type { Encoder } from '../../models/encoder/encoder.js';

const TEXTS = Array.from({ length: 10 }, (_, at) => `text ${at}`);

function encoderBy(embed: (text: string) => Promise<Float32Array>): Encoder {
  return {
    fingerprint: 'made',
    dims: 1,
    embed,
    encodeWithSignals: () => Promise.reject(new Error('no context is read')),
    close: () => Promise.resolve(),
  };
}

describe('embedding texts', () => {
  it('takes each text only when the encoder is ready for it, with the requested number in flight', async () => {
    let [taken, ended, mostTaken] = [0, 0, 0];
    function* texts(): Generator<string> {
      for (const text of TEXTS) {
        taken++;
        yield text;
      }
    }
    const encoder = encoderBy(async (text) => {
      mostTaken = Math.max(mostTaken, taken - ended);
      await nextTurn();
      ended++;
      return Float32Array.of(TEXTS.indexOf(text));
    });
    const done: number[] = [];
    const vectors = await embedTexts(encoder, texts(), 3, (count) => done.push(count));
    expect(mostTaken).to.equal(3);
    expect(TEXTS.map((text) => vectors.get(text)?.[0])).to.deep.equal(TEXTS.map((_, at) => at));
    expect(done).to.deep.equal(TEXTS.map((_, at) => at + 1));
  });

  it('takes no more texts once one has failed', async () => {
    const asked: string[] = [];
    const encoder = encoderBy(async (text) => {
      asked.push(text);
      await nextTurn();
      if (text === TEXTS[1]) throw new Error('broken');
      return Float32Array.of(1);
    });
    const fault = await embedTexts(encoder, TEXTS, 2, () => {}).catch((error: unknown) => (error as Error).message);
    expect(fault).to.equal('broken');
    for (let turn = 0; turn < TEXTS.length; turn++) await nextTurn();
    expect(asked.length).to.be.below(5);
  });
});
