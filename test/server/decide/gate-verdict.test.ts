import { expect } from 'chai';
import type { Encoding } from '../../../models/encoder/encoder.js';
import type { GateModel } from '../../../models/safety/gate-model.js';
import type { EncodedContext } from '../../../server/decide/encoded-context.js';
import { createGate } from '../../../server/decide/gate.js';
import { countTurns } from '../../support/event-loop-turns.js';

const model: GateModel = {
  encoder: 'made',
  threshold: 2.5,
  turns: 4,
  softness: 1.5,
  gain: 2,
  offset: 1,
  platt: [0.8, -0.3],
  topics: ['grief', 'money', 'grief'],
};
const lexicon = { explicitTopics: (turn: string) => (turn.includes('coffin') ? ['grief'] : []) };

const encoding = (whole: number, turn: number, topics: readonly number[] = [0, 0, 0]): Encoding => ({
  vector: new Float32Array(),
  signals: {
    sensitive: { whole, turn },
    advertisable: { whole: 0, turn: 0 },
    topics: Float32Array.from(topics),
  },
});
const context = (whole: number, turns: readonly number[], topics?: readonly number[]): EncodedContext => ({
  whole: encoding(whole, 0, topics),
  turns: turns.map((turn) => encoding(0, turn, topics)),
  userTurns: ['hello'],
  second: null,
});
const assess = (of: EncodedContext, allowed: readonly string[] = [], changes: Partial<GateModel> = {}) =>
  createGate({ ...model, ...changes }, lexicon).assess(of, allowed);
const saying = (...userTurns: string[]): EncodedContext => ({ ...context(-9, [-9]), userTurns });

/** The expected figures were computed independently of the code, by the formula of models/safety. */
describe('the gate’s verdict', () => {
  it('weighs the whole and the strongest turn together, or one turn alone', async () => {
    expect((await assess(context(-1, [2, 0]))).probability).to.be.closeTo(0.8520565566, 1e-9);
    expect((await assess(context(-1, [0, 2]))).probability).to.be.closeTo(0.8520565566, 1e-9);
    expect((await assess(context(0.5, [-3, -1, 0.25]))).probability).to.be.closeTo(0.4825230793, 1e-9);
  });

  it('is sensitive at or above the threshold', async () => {
    // One turn of 2 beside a whole of 1: together 3, alone 2 · 2 − 1 = 3.
    expect(await assess(context(1, [2]), [], { threshold: 3 })).to.include({ sensitive: true });
    expect(await assess(context(1, [2]), [], { threshold: 3.001 })).to.include({ sensitive: false });
  });

  it('subtracts the weighted need for an ad from the distress if the model has such a weight', async () => {
    const { signals, ...rest } = encoding(1, 0);
    const wanting = {
      ...context(1, [2]),
      whole: { ...rest, signals: { ...signals!, advertisable: { whole: 3, turn: 1 } } },
    };
    expect(await assess(wanting, [], { threshold: 3 })).to.include({ sensitive: true });
    // 3, less half of 3 + 1.
    expect(await assess(wanting, [], { threshold: 1, need: 0.5 })).to.include({ sensitive: true });
    expect(await assess(wanting, [], { threshold: 1.001, need: 0.5 })).to.include({ sensitive: false });
  });

  it('adds up signals of one topic and names the most likely one', async () => {
    expect((await assess(context(9, [9], [1, 1.5, 1]))).topic).to.equal('grief');
    expect((await assess(context(9, [9], [1, 3, 1]))).topic).to.equal('money');
  });

  it('takes topics half from the whole and half from the strongest turn', async () => {
    const mixed = (strong: readonly number[], weak: readonly number[]): EncodedContext => ({
      whole: encoding(9, 0, [0, 1, 0]),
      turns: [encoding(0, 1, weak), encoding(0, 9, strong)],
      userTurns: ['hello'],
      second: null,
    });
    expect((await assess(mixed([4, 0, 0], [0, 9, 0]))).topic).to.equal('grief');
    expect((await assess(mixed([0, 0, 0], [9, 0, 0]), [], { topics: ['a', 'b', 'c'] })).topic).to.equal('b');
  });

  it('is not sensitive if more than half of the topics’ weight is on allowed ones', async () => {
    const two = { topics: ['grief', 'money'] };
    const even = context(9, [9], [1, 1]);
    expect(await assess(even, ['money'], two)).to.include({ sensitive: true, topic: 'grief' });
    expect(await assess(context(9, [9], [1, 1.01]), ['money'], two)).to.include({ sensitive: false });
    expect(await assess(even, ['money', 'grief'], two)).to.include({ sensitive: false, topic: null });
  });

  it('is sensitive for explicit words whatever the signals, unless their topic is allowed', async () => {
    const verdict = await assess(saying('hello', 'a cheap coffin'));
    expect(verdict).to.deep.equal({ sensitive: true, topic: 'grief', probability: 0.95 });
    expect(await assess(saying('a cheap coffin'), ['grief'])).to.include({ sensitive: false });
    const sure = { ...context(20, [20]), userTurns: ['coffin'] };
    expect((await assess(sure)).probability).to.be.above(0.99);
  });

  it('searches the newest 300 turns and about 20,000 characters for words', async () => {
    const small = Array.from({ length: 299 }, () => 'hi');
    expect(await assess(saying(...small, 'coffin'))).to.include({ sensitive: true });
    expect(await assess(saying(...small, 'hi', 'coffin'))).to.include({ sensitive: false });
    expect(await assess(saying('x'.repeat(20_000), 'coffin'))).to.include({ sensitive: true });
    expect(await assess(saying('x'.repeat(20_001), 'coffin'))).to.include({ sensitive: false });
  });

  it('lets the event loop go on after every few thousand characters searched', async () => {
    const { result, turns } = await countTurns(() =>
      assess(saying(...Array.from({ length: 9 }, () => 'x'.repeat(2000)))),
    );
    expect(result.sensitive).to.equal(false);
    expect(turns).to.be.at.least(2);
    const short = await countTurns(() => assess(saying(...Array.from({ length: 300 }, () => 'hi'))));
    expect(short.turns).to.be.at.least(3);
  });

  it('depends on words alone without a model or without signals', async () => {
    const bare = createGate(null, lexicon);
    expect(bare.turns).to.equal(1);
    expect(await bare.assess(context(9, [9]), [])).to.deep.equal({ sensitive: false, topic: null, probability: null });
    expect(await bare.assess(saying('coffin'), [])).to.deep.equal({
      sensitive: true,
      topic: 'grief',
      probability: null,
    });
    expect(createGate(model, lexicon).turns).to.equal(4);
    const silent = { ...context(9, [9]), whole: { vector: new Float32Array(), signals: null } };
    expect(await assess(silent)).to.deep.equal({ sensitive: false, topic: null, probability: null });
    const mute = { ...context(9, []), turns: [{ vector: new Float32Array(), signals: null }] };
    expect(await assess(mute)).to.include({ sensitive: false });
  });

  it('rejects a model with a different number of topics', async () => {
    const fault = await assess(context(9, [9]), [], { topics: ['grief'] }).catch(String);
    expect(fault).to.match(/names 1 topics, the encoder's signals have 3/);
  });
});
