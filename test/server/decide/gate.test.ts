import { expect } from 'chai';
import type { Encoder, Encoding } from '../../../models/encoder/encoder.js';
import type { EncoderPool } from '../../../models/encoder/pool.js';
import { loadGateModel } from '../../../models/safety/gate-model.js';
import { loadLexicon } from '../../../models/safety/lexicon.js';
import { loadDecisionModel } from '../../../models/scoring/decision-model.js';
import { createGate, type GateVerdict } from '../../../server/decide/gate.js';
import { createContextEncoder } from '../../../server/decide/encode-context.js';
import type { EncodeContext } from '../../../server/decide/encoded-context.js';
import { createRanker } from '../../../server/decide/ranker.js';
import { readConversation } from '../../../server/decide/conversation/conversation.js';
import { bundledEncoder } from '../../support/bundled-encoder.js';

describe('the gate for sensitive conversations', () => {
  let encoder: EncoderPool;
  let encode: EncodeContext;
  let assess: (context: string, allowed?: readonly string[]) => Promise<GateVerdict>;
  before(async () => {
    encoder = await bundledEncoder();
    const gate = createGate(loadGateModel(encoder.fingerprint), loadLexicon());
    encode = createContextEncoder(encoder, gate);
    assess = async (context, allowed = []) => gate.assess(await encode(readConversation({ context }), null), allowed);
  });
  after(() => encoder.close());

  for (const context of [
    'User: i want to kill myself',
    'User: My husband hits me when he drinks and last night he choked me',
    'User: my husband died last week. what do I do about his phone contract?',
    'User: the doctor says the cancer has spread and there is nothing more they can do. what do I tell the kids?',
    'User: I relapsed last night after two years sober and I hate myself',
    // Mentioned in passing, without an alarming word.
    'User: is there a lock for a phone that he cannot open? my boyfriend reads everything, every night',
    'User: since march I set the table for one, and I still buy his tea',
    'User: I have three euros until the 28th and the children think it is a game',
    // The request itself reveals what has happened.
    'User: cheap coffins online',
    'User: stage 4 pancreatic cancer survival',
    'User: alcohol rehab centre cost',
    'hello\nwhere do I get cheap coffins online',
  ]) {
    it(`finds "${context.slice(6)}" sensitive`, async () =>
      expect(await assess(context)).to.include({ sensitive: true }));
  }

  for (const context of [
    'User: how do I kill a process in linux?',
    'User: I am dying to try that new ramen place, where can I book?',
    'User: totally bombed my chemistry exam lol, any tutors around?',
    'User: which camera should I buy to shoot my sister’s wedding?',
    'User: I need a dentist, my crown fell out',
    'User: recommend a murder mystery novel for the beach',
    'User: coffin nails design',
    'User: physio rehab centre for my knee after surgery',
    'User: WWE undertaker shirt',
    'User: I hurt myself at the gym, which knee brace is good?',
    'User: my phone is ready to die, which one has a good battery?',
    'User: they robbed me blind this month\nAssistant: That sounds bad. What happened?\nUser: my gym, the price went up. any cheaper one with a sauna?',
    'User: bury me with this cheesecake, where can I order another one',
  ]) {
    it(`allows ads for "${context.slice(6)}"`, async () =>
      expect(await assess(context)).to.include({ sensitive: false }));
  }

  const CHAT = Array.from(
    { length: 10 },
    (_, at) => `Assistant: Sure.\nUser: and what about running shoe number ${at + 1}?`,
  ).join('\n');

  it('detects distress many turns ago, whatever the newest turn is', async () => {
    expect(await assess(`User: I have been thinking of ending my life\n${CHAT}`)).to.include({ sensitive: true });
  });

  it('allows ads in a long ordinary conversation', async () => {
    expect(await assess(`User: hi, I need running shoes\n${CHAT}`)).to.include({ sensitive: false });
  });

  it('names the topic, and allows ads on topics that the publisher accepts', async () => {
    expect(await assess('User: i want to kill myself')).to.include({ topic: 'suicide-self-harm' });
    const grief = 'User: my husband died last week. what do I do about his phone contract?';
    expect(await assess(grief, ['bereavement'])).to.include({ sensitive: false });
    expect(await assess(grief, ['abuse', 'adult'])).to.include({ sensitive: true });
    expect(await assess('User: i want to kill myself', ['bereavement'])).to.include({ sensitive: true });
  });

  it('detects talk of self-harm, but not a figure of speech such as cutting oneself some slack', async () => {
    for (const text of ['I want to hurt myself', 'i feel like hurting myself', 'thinking of ending it all tonight']) {
      expect(await assess(`User: ${text}`), text).to.include({ sensitive: true, topic: 'suicide-self-harm' });
    }
    expect(await assess('User: time to cut myself some slack and order a pizza')).to.include({ sensitive: false });
  });

  it('returns the probability of acute distress', async () => {
    expect((await assess('User: cheap flights to Rome')).probability).to.be.below(0.1);
    expect((await assess('User: i want to kill myself')).probability).to.be.above(0.9);
  });

  it('detects explicit words with an encoder that it was not fitted for', async () => {
    const gate = createGate(null, loadLexicon());
    const encoded = await encode(readConversation({ context: 'User: i want to kill myself' }), null);
    expect(await gate.assess(encoded, [])).to.deep.equal({
      sensitive: true,
      topic: 'suicide-self-harm',
      probability: null,
    });
    expect(await gate.assess(await encode(readConversation({ context: 'User: cheap flights' }), null), [])).to.include({
      sensitive: false,
    });
  });

  it('uses explicit words alone if the encoder gives no signals', async () => {
    const mute: Encoder = {
      fingerprint: encoder.fingerprint,
      dims: encoder.dims,
      embed: (text, kind) => encoder.embed(text, kind),
      encodeWithSignals: async (text) => ({ vector: (await encoder.encodeWithSignals(text)).vector, signals: null }),
      close: () => encoder.close(),
    };
    const gate = createGate(loadGateModel(encoder.fingerprint), loadLexicon());
    const encoded = await createContextEncoder(mute)(
      readConversation({ context: 'User: my mum died on sunday' }),
      null,
    );
    expect(await gate.assess(encoded, [])).to.deep.equal({ sensitive: false, topic: null, probability: null });
    const ranker = createRanker(mute, loadDecisionModel('', encoder.fingerprint));
    expect((await ranker.prepare(readConversation({ context: 'User: cheap flights' }), null)).advertisable).to.equal(
      null,
    );
  });

  it('encodes a turn once per session, and again for another session', async () => {
    const short = readConversation({ context: 'User: one\nAssistant: ok\nUser: two' });
    const long = readConversation({ context: 'User: one\nAssistant: ok\nUser: two\nAssistant: ok\nUser: three' });
    const first = await encode(short, 'somebody');
    expect((await encode(long, 'somebody')).turns[1]).to.equal(first.turns[0]);
    expect((await encode(long, 'somebody else')).turns[1]).to.not.equal(first.turns[0]);
    expect((await encode(long, null)).turns[1]).to.not.equal((await encode(short, null)).turns[0]);
  });

  describe('with two encoders', () => {
    const one = { encoder: 'made', threshold: 0, turns: 1, softness: 4, gain: 1, offset: 0, platt: [1, 0] as const };
    const model = { ...one, topics: ['abuse', 'war'] };
    const gate = createGate({ ...model, second: { weights: [1, 0.5], bias: -1, model } }, loadLexicon());
    const encodingOf = (turn: number, war = 0): Encoding => ({
      vector: new Float32Array(0),
      signals: {
        sensitive: { whole: 0, turn },
        advertisable: { whole: 0, turn: 0 },
        topics: Float32Array.of(0, war),
      },
    });
    const assess = (first: Encoding, second: Encoding, allowed: readonly string[] = []) =>
      gate.assess(
        {
          whole: first,
          turns: [first],
          second: { whole: second, turns: [second] },
          userTurns: ['so that was that'],
        },
        allowed,
      );

    it('adds the log odds of both, each with its weight', async () => {
      expect((await assess(encodingOf(0.4), encodingOf(1.1))).sensitive).to.equal(false);
      expect((await assess(encodingOf(0.4), encodingOf(1.3))).sensitive).to.equal(true);
      expect((await assess(encodingOf(1.1), encodingOf(-0.1))).sensitive).to.equal(true);
      expect((await assess(encodingOf(0.4), encodingOf(1.3))).probability).to.be.closeTo(
        1 / (1 + Math.exp(-0.05)),
        1e-6,
      );
    });

    it('names the topic most likely for both together, and allows ads on an accepted one', async () => {
      expect((await assess(encodingOf(3, 4), encodingOf(3, -1))).topic).to.equal('war');
      expect((await assess(encodingOf(3, 4), encodingOf(3, 4), ['war'])).sensitive).to.equal(false);
    });
  });
});
