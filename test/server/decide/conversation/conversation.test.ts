import { expect } from 'chai';
import type { Message } from '../../../../models/schema/match-request.js';
import { readConversation } from '../../../../server/decide/conversation/conversation.js';

const WHOLE = 'User: we have mice\nAssistant: Traps or a professional?\nUser: a professional, please';

/** One conversation in the formats in which clients send chats. */
const FORMS: readonly (readonly [name: string, context: string])[] = [
  ['plain marks', WHOLE],
  ['Windows line ends', WHOLE.replaceAll('\n', '\r\n')],
  ['other names', 'Human: we have mice\nAI: Traps or a professional?\nHuman: a professional, please'],
  ['bold marks', '**User:** we have mice\n**Assistant:** Traps or a professional?\n**User:** a professional, please'],
  ['brackets', '[user] we have mice\n[assistant] Traps or a professional?\n[user] a professional, please'],
  [
    'ChatML',
    '<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nwe have mice<|im_end|>\n<|im_start|>assistant\nTraps or a professional?<|im_end|>\n<|im_start|>user\na professional, please<|im_end|>',
  ],
  [
    'a JSON list',
    JSON.stringify([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'we have mice' },
      { role: 'assistant', content: 'Traps or a professional?' },
      { role: 'user', content: [{ type: 'text', text: 'a professional, please' }] },
    ]),
  ],
  [
    'a JSON object',
    JSON.stringify({
      messages: [
        { from: 'human', value: 'we have mice' },
        { from: 'gpt', value: 'Traps or a professional?' },
        { from: 'human', value: 'a professional, please' },
      ],
    }),
  ],
  [
    'JSON lines',
    '{"role":"user","text":"we have mice"}\n{"role":"assistant","text":"Traps or a professional?"}\n{"role":"user","text":"a professional, please"}',
  ],
  ['two names', 'Mia: we have mice\nBen: Traps or a professional?\nMia: a professional, please'],
];

describe('parsing a context', () => {
  for (const [name, context] of FORMS) {
    it(`gives the same conversation for ${name}`, () => {
      const reading = readConversation({ context });
      expect(reading.whole).to.equal(WHOLE);
      expect(reading.last).to.equal('a professional, please');
    });
  }

  it('gives the same conversation for messages, without system prompt, tool results and empty turns', () => {
    const { whole, last, turns } = readConversation({
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'developer', content: 'Sell traps.' },
        { role: 'user', content: 'we have mice' },
        { role: 'assistant', content: null },
        { role: 'tool', content: 'three shops sell traps' },
        { role: 'assistant', content: 'Traps or a professional?' },
        { role: 'user', content: 'a professional, please' },
        { role: 'user', content: ' \n' },
        { role: 'function', content: 'found: 1' },
      ],
    });
    expect({ whole, last }).to.deep.equal({ whole: WHOLE, last: 'a professional, please' });
    expect(turns.map(({ speaker }) => speaker)).to.deep.equal(['user', 'assistant', 'user']);
  });

  it('reads text parts only', () => {
    const content = [
      { type: 'reasoning', text: 'They want a plumber.' },
      { type: 'text', text: 'we have' },
      { type: 'image_url', image_url: { url: 'data:,' } },
      { type: 'input_text', text: 'mice' },
    ] as NonNullable<Message['content']>;
    expect(readConversation({ messages: [{ role: 'user', content }] }).whole).to.equal('User: we have mice');
    const context = JSON.stringify([{ role: 'user', content }]);
    expect(readConversation({ context }).whole).to.equal('User: we have mice');
  });

  it('reads the parts of a message without content, or with an empty one', () => {
    const parts = [{ type: 'step-start' }, { type: 'text', text: 'we have mice' }] as NonNullable<Message['parts']>;
    for (const empty of [{}, { content: null }, { content: '' }, { content: [] }]) {
      const messages = [{ role: 'user' as const, ...empty, parts }];
      expect(readConversation({ messages }).whole, JSON.stringify(empty)).to.equal('User: we have mice');
    }
    const both = [{ role: 'user' as const, content: 'we have rats', parts }];
    expect(readConversation({ messages: both }).whole).to.equal('User: we have rats');
  });

  it('treats speaker labels inside a message as part of its text', () => {
    const messages: Message[] = [{ role: 'assistant', content: 'Try this:\nUser: hello\nAssistant: hi' }];
    expect(readConversation({ messages }).turns).to.have.length(1);
  });

  it('reads messages instead of the context when both are sent', () => {
    const reading = readConversation({
      context: 'User: something else',
      messages: [{ role: 'user', content: 'a bike for the city' }],
    });
    expect(reading.whole).to.equal('User: a bike for the city');
  });

  it('reads text without speaker labels as one user turn', () => {
    expect(readConversation({ context: 'a bike for the city' })).to.deep.include({
      whole: 'User: a bike for the city',
      turns: [{ speaker: 'user', text: 'a bike for the city' }],
    });
  });

  it('keeps text before the first speaker label, and lines without one', () => {
    expect(readConversation({ context: 'earlier\nUser: one\ntwo\nAssistant: three' }).turns).to.deep.equal([
      { speaker: 'user', text: 'earlier' },
      { speaker: 'user', text: 'one\ntwo' },
      { speaker: 'assistant', text: 'three' },
    ]);
  });

  for (const context of [
    '{"not": "closed',
    '[1, 2, 3]',
    '{}',
    '[]',
    'User:',
    '::::',
    '\u0000',
    '<|im_start|>',
    '[{"role":{}}]',
  ]) {
    it(`does not fail on ${JSON.stringify(context)}`, () => {
      expect(readConversation({ context }).turns).to.have.length.above(0);
    });
  }

  it('reads a quarter of a megabyte of speaker labels', () => {
    const context = '> **User**: \n'.repeat(20_000) + 'User: a bike';
    expect(readConversation({ context }).last).to.include('a bike');
  });

  it('reads the newest 40,000 characters of text, from the start of a line', () => {
    const { turns } = readConversation({ context: `User: old\n${`a: ${'b'.repeat(96)}\n`.repeat(2500)}User: a bike` });
    expect(turns.length).to.be.within(390, 400);
    expect(turns[0]).to.deep.equal({ speaker: 'assistant', text: 'b'.repeat(96) });
    expect(turns.at(-1)).to.deep.equal({ speaker: 'user', text: 'a bike' });
    const messages = Array.from({ length: 3000 }, (_, at) => ({ role: 'user' as const, content: `number ${at}` }));
    const read = readConversation({ context: JSON.stringify(messages) }).turns;
    expect(read).to.have.length(1000);
    expect(read.at(-1)).to.deep.equal({ speaker: 'user', text: 'number 2999' });
  });

  // Any client with a key may send these: a regular expression that backtracks would block the server for minutes.
  const LONG = 256 * 1024;
  const NEWEST = 39_900;
  for (const [name, context, last] of [
    ['blanks at a line’s start', `a bike\n${' '.repeat(LONG)}x`, /^User: x$/],
    ['blanks behind a name', `x\nUser${' '.repeat(NEWEST)}x`, /^User: x\nUser /],
    ['asterisks after a name', `x\nUser${'*'.repeat(NEWEST)}x`, /^User: x\nUser\*/],
    ['blanks in a talk between two', `Mia: hello\nBen:${' '.repeat(NEWEST)}\u2028x`, /^x$/],
    ['open brackets', '[\n'.repeat(LONG / 2), /^User: \[/],
    ['lists in lists', `[{"role":"user","content":${'['.repeat(LONG)}${']'.repeat(LONG)}}]`, /^User: \]/],
  ] as const) {
    it(`parses a quarter of a megabyte of ${name} in time`, () => {
      expect(readConversation({ context }).last).to.match(last);
    });
  }
});
