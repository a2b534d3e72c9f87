import { expect } from 'chai';
import { dot } from '../../../models/index/vector-index.js';
import { creativeText, embedCreative } from '../../../models/encoder/embed-creative.js';
import type { JointEncoder, Turn } from '../../../models/encoder/encoder.js';
import { conversationTokens } from '../../../models/encoder/joint-transformer.js';
import { joinVectors } from '../../../models/encoder/join-vectors.js';
import { createEncoder, type EncoderPool } from '../../../models/encoder/pool.js';
import { PROFILES, readProfile } from '../../../models/encoder/profile.js';

const said = (text: string): Turn[] => [{ speaker: 'user', text }];
const ad = (name: string, text: string, ...categories: string[]) => creativeText({ name, text, categories });

const BOILERS = ad('Boiler gone cold?', 'Gas engineers at your door the same day, all makes.', 'Heating');
const GOLF = ad('Tee off before nine', 'Quiet greens and cheap rounds on weekday mornings.', 'Golf');

describe('the joint encoder', function () {
  this.timeout(120_000);
  let encoder: EncoderPool;
  let joint: JointEncoder;
  before(async () => {
    encoder = await createEncoder(readProfile(`${PROFILES.quality}?languages=en`, ''), { workers: 1 });
    joint = encoder.joint!;
  });
  after(() => encoder.close());

  it('gives unit vectors, closer to the ad that fits', async () => {
    const { vector } = await joint.read(said('the radiators are stone cold and the pilot light will not stay on'));
    expect(vector).to.have.length(768);
    expect(dot(vector, 0, vector)).to.be.closeTo(1, 1e-4);
    const [boilers, golf] = [await embedCreative(encoder, BOILERS), await embedCreative(encoder, GOLF)];
    expect(dot(boilers, 0, vector)).to.be.above(dot(golf, 0, vector) + 0.2);
  });

  it('reports whether it dropped or shortened turns', async () => {
    expect((await joint.read(said('cheap skis'))).complete).to.equal(true);
    const chat = Array.from({ length: 40 }, (_, at) => said(`number ${at}: what is the capital of Peru?`)[0]!);
    expect((await joint.read(chat)).complete).to.equal(false);
  });

  it('has a second encoder, whose vector follows its own in a creative’s vector', async () => {
    const { second } = encoder;
    const own = await encoder.embed(BOILERS.replace('\n', ' [') + ']', 'creative');
    const other = await embedCreative(second!.encoder as EncoderPool, BOILERS);
    const both = await embedCreative(encoder, BOILERS);
    expect(both)
      .to.have.length(encoder.dims)
      .and.length(768 + 384);
    expect(dot(both, 0, both)).to.be.closeTo(1, 1e-4);
    expect(dot(both, 0, joinVectors(own, other, second!.weight))).to.be.closeTo(1, 1e-4);
    expect(both[0]! / own[0]!).to.be.closeTo(1 / Math.sqrt(1.4), 1e-3);
  });

  it('gives the fast profile’s encoding with its second encoder', async () => {
    const fast = await createEncoder(readProfile(`${PROFILES.fast}?languages=en`, ''), { workers: 1 });
    const text = 'User: the radiators are stone cold';
    const [second, alone] = await Promise.all([
      encoder.second!.encoder.encodeWithSignals(text),
      fast.encodeWithSignals(text),
    ]);
    expect(second).to.deep.equal(alone);
    await fast.close();
  });

  it('has a different fingerprint from the fast profile', async () => {
    const fast = await createEncoder(readProfile(`${PROFILES.fast}?languages=en`, ''), { workers: 1 });
    expect(encoder.fingerprint).to.not.equal(fast.fingerprint);
    expect(fast.joint).to.equal(undefined);
    await fast.close();
  });
});

describe('the tokens of a conversation', () => {
  // Each word is a token; its id is its position.
  const words: string[] = [];
  const tokenize = (text: string) => text.split(/\s+/).map((word) => words.push(word) - 1);
  const read = (turns: readonly Turn[], budget = 128) => {
    const { ids, complete } = conversationTokens(turns, tokenize, budget);
    return { text: ids.map((id) => words[id]).join(' '), complete };
  };
  it('are incomplete for a turn whose middle was cut before tokenization', () => {
    const hidden = `${'small talk '.repeat(19)}the grave part${'\n'.repeat(1900)}ok`;
    expect(read([{ speaker: 'user', text: hidden }]).complete).to.equal(false);
  });

  it('keep a word that lies across the 200th character whole, up to 2,000 characters', () => {
    const text = `${'a'.repeat(195)} across ${'b '.repeat(40)}`;
    expect(read([{ speaker: 'user', text }]).text).to.include(' across ');
    const longest = `${'word '.repeat(39)}across${' '.repeat(1799)}`;
    expect(longest).to.have.length(2000);
    expect(read([{ speaker: 'user', text: longest }]).text).to.include('across');
  });

  const counted = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `w${from + at}`).join(' ');

  it('include all of a short one, with its speakers', () => {
    const turns: Turn[] = [
      { speaker: 'user', text: 'hello there' },
      { speaker: 'assistant', text: 'hi' },
      { speaker: 'user', text: 'skis' },
    ];
    expect(read(turns)).to.deep.equal({ text: 'User: hello there Assistant: hi User: skis', complete: true });
  });

  it('include the beginning and the end of a long newest turn', () => {
    const { text, complete } = read([{ speaker: 'user', text: counted(40) + ' ' + counted(400, 1000) }]);
    expect(text.split(' ')).to.have.length(104);
    expect(text)
      .to.match(/^User: w0 w1 /)
      .and.match(/ w1399$/);
    expect(complete).to.equal(false);
  });

  it('include less of older turns, and the beginning of an assistant’s turn', () => {
    const turns: Turn[] = [
      { speaker: 'user', text: counted(45) },
      { speaker: 'assistant', text: counted(40, 100) },
      { speaker: 'user', text: 'skis' },
    ];
    const { text, complete } = read(turns);
    expect(text).to.include('w18 w25').and.to.include('Assistant: w100').and.not.to.include('w123');
    expect(complete).to.equal(false);
  });

  it('stay within the budget, newest turns first', () => {
    const turns = Array.from({ length: 10 }, (_, at): Turn => ({ speaker: 'user', text: counted(9, 10 * at) }));
    const { text, complete } = read(turns, 50);
    expect(text)
      .to.match(/^User: w50 /)
      .and.match(/ w98$/);
    expect(complete).to.equal(false);
  });
});
