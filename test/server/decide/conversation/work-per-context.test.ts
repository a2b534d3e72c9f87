import { expect } from 'chai';
import { isPlainJson } from '../../../../server/decide/conversation/plain-json.js';
import { newestSaid, readConversation } from '../../../../server/decide/conversation/conversation.js';
import { MAX_TURNS } from '../../../../server/decide/conversation/max-turns.js';

const LENGTH = 250_000;
const filled = (unit: string): string => unit.repeat(LENGTH / unit.length);

describe('the work for a context of 250,000 characters', () => {
  const { parse } = JSON;
  let parsed: number;
  before(() => {
    JSON.parse = ((text: string) => {
      parsed++;
      return parse(text) as unknown;
    }) as typeof parse;
  });
  beforeEach(() => void (parsed = 0));
  after(() => void (JSON.parse = parse));

  for (const [what, context] of Object.entries({
    'brackets that are never closed': `${filled('[')}]`,
    'nested lists': filled('[') + filled(']'),
    'nested objects': `${filled('{"a":')}1}`,
    'nested content': `[{"content":${filled('[')}]}]`,
    'brackets in the wrong order': `[${filled('][')}]`,
    'many small objects': `[${filled('{},')}{}]`,
    'many keys': `{${filled('"k":1,')}"k":1}`,
    'many lines with a bracket': filled('[\n'),
  })) {
    it(`does not include parsing ${what}`, () => {
      expect(readConversation({ context }).turns).to.have.length(1);
      expect(parsed).to.equal(0);
    });
  }

  it(`includes the newest ${MAX_TURNS} turns`, () => {
    for (const context of [
      '{"text":"x"}\n'.repeat(9000),
      `[${'{"text":"x"},'.repeat(5000)}{"text":"x"}]`,
      filled('user: x\nassistant: x\n'),
      filled('Ann: x\nBob: x\n'),
    ]) {
      parsed = 0;
      expect(readConversation({ context }).turns, context.slice(0, 20)).to.have.length(MAX_TURNS);
      expect(parsed).to.be.at.most(MAX_TURNS + 1);
    }
    const messages = [
      { role: 'user' as const, content: 'oldest' },
      ...Array.from({ length: 2 * MAX_TURNS }, () => ({ role: 'assistant' as const, content: 'x' })),
      { role: 'user' as const, content: 'newest' },
      ...Array.from({ length: 2 * MAX_TURNS }, () => ({ role: 'tool' as const, content: 'x' })),
    ];
    const { turns, last } = readConversation({ messages });
    expect(turns).to.have.length(MAX_TURNS);
    expect(last).to.equal('newest');
  });

  it('does not include searching what ligatures spell out beyond 10,000 letters', () => {
    const said = (context: string) => newestSaid(readConversation({ context })).join('\n');
    expect(said(`jobs ${'x'.repeat(9000)}`)).to.include('jobs');
    expect(said(`jobs ${'\ufdfa'.repeat(9000)}`))
      .to.have.length(10_000)
      .and.not.include('jobs');
  });

  it('does not include sorting thousands of combining marks', () => {
    const marks = '\u0345\u0301\u0323';
    for (const { turns } of [
      readConversation({ context: `e${filled(marks)} x` }),
      readConversation({ context: filled(marks) }),
      readConversation({ messages: [{ role: 'user', content: `e${filled(marks)} x` }] }),
    ]) {
      expect(Math.max(...turns.map(({ text }) => text.length))).to.be.at.most(33);
    }
  });
});

describe('text that may be a JSON transcript', () => {
  it('is a few thousand messages, with brackets of any number in their texts', () => {
    const messages = Array.from({ length: 3900 }, () => ({ role: 'user', text: '[[[[{{{{"\\", "]' }));
    expect(isPlainJson(JSON.stringify({ messages }))).to.equal(true);
    expect(isPlainJson(messages.map((message) => JSON.stringify(message)).join('\n'))).to.equal(true);
    expect(isPlainJson('[{"content":[{"parts":[{"text":["x"]}]}]}]')).to.equal(true);
  });

  it('is not text whose brackets do not match, or nothing but brackets', () => {
    for (const text of [
      '[',
      '[]]',
      '["]',
      '{"a":"\\"}',
      '['.repeat(40) + ']'.repeat(40),
      `[${'1,'.repeat(20_001)}1]`,
    ]) {
      expect(isPlainJson(text), text.slice(0, 20)).to.equal(false);
    }
  });
});
