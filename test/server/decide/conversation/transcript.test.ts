import { expect } from 'chai';
import { newestText, readConversation } from '../../../../server/decide/conversation/conversation.js';
import {
  readJsonTranscript,
  readMarkedTranscript,
  readNamedTranscript,
  speakerOf,
  textOf,
} from '../../../../server/decide/conversation/transcript.js';

const json = (value: unknown) => readJsonTranscript(JSON.stringify(value));

describe('a transcript as JSON', () => {
  it('is a list of messages, an object that holds one under a usual name, or one message', () => {
    const messages = [{ role: 'user', content: 'hi' }];
    const turns = [{ speaker: 'user', text: 'hi' }];
    for (const value of [messages, { messages }, { conversation: messages }, { history: messages }, messages[0]])
      expect(json(value), JSON.stringify(value)).to.deep.equal(turns);
    expect(readJsonTranscript(` \n${JSON.stringify(messages)}`)).to.deep.equal(turns);
  });

  it('has the field names of the usual interfaces, the first of them', () => {
    for (const [who, what] of [
      ['role', 'content'],
      ['from', 'text'],
      ['speaker', 'value'],
      ['author', 'message'],
    ] as const)
      expect(json([{ [who]: 'bot', [what]: 'hi' }])).to.deep.equal([{ speaker: 'assistant', text: 'hi' }]);
    expect(json([{ role: 'bot', from: 'user', content: 'one', text: 'two' }])).to.deep.equal([
      { speaker: 'assistant', text: 'one' },
    ]);
    expect(json([{ role: 7, content: 'hi' }])).to.deep.equal([{ speaker: 'user', text: 'hi' }]);
  });

  it('may be a message a line, with commas and empty lines', () => {
    expect(readJsonTranscript('{"text":"one"},\n\n {"text":"two"} \n')).to.deep.equal([
      { speaker: 'user', text: 'one' },
      { speaker: 'user', text: 'two' },
    ]);
    expect(readJsonTranscript('{"text":"one"}\nand more')).to.equal(null);
  });

  it('is none where anything in it is something else', () => {
    for (const value of [[], {}, [1], ['hi'], [null], [[]], { messages: 'hi' }, { messages: [] }, [{ role: 'user' }]])
      expect(json(value), JSON.stringify(value)).to.equal(null);
    expect(json([{ text: 'one' }, { role: 'user' }])).to.equal(null);
    for (const text of ['hi', '"hi"', 'null', '[', '']) expect(readJsonTranscript(text), text).to.equal(null);
  });

  it('may have content in parts, of which the texts count', () => {
    expect(textOf(['one', { text: 'two' }, { type: 'output_text', text: 'three' }])).to.equal('one two three');
    expect(textOf([{ type: 'image', text: 'no' }, { type: 'text' }, 7, null, ''])).to.equal('');
    expect(textOf({ text: 'one' })).to.equal('one');
    expect(textOf({ type: 'reasoning', text: 'no' })).to.equal('');
    expect(textOf(7)).to.equal('');
  });
});

describe('speakers', () => {
  it('are known by many names in any case, and else the person', () => {
    for (const name of ['Customer', 'ME', 'q', 'caller']) expect(speakerOf(name), name).to.equal('user');
    for (const name of ['ChatGPT', 'operator', 'A', 'you']) expect(speakerOf(name), name).to.equal('assistant');
    for (const name of ['System', 'tool']) expect(speakerOf(name), name).to.equal('system');
    expect(speakerOf('Mia')).to.equal('user');
  });

  it('mark lines, before which somebody may have spoken', () => {
    expect(readMarkedTranscript('no marks')).to.equal(null);
    expect(readMarkedTranscript('before\nAI: one<|im_end|>\nUser: two')).to.deep.equal([
      { speaker: 'user', text: 'before\n' },
      { speaker: 'assistant', text: 'one\n' },
      { speaker: 'user', text: 'two' },
    ]);
  });

  it('may be two by name, of whom the last one is the person', () => {
    expect(readNamedTranscript('Mia: hi\nBen Long: hi\n\nMia: hello')).to.deep.equal([
      { speaker: 'user', text: 'hi' },
      { speaker: 'assistant', text: 'hi' },
      { speaker: 'user', text: 'hello' },
    ]);
    for (const text of ['Mia: hello', 'Mia: hi\nMia: hello', 'A: x\nMia: hi\nBen: yes\nCy: no', 'Mia: hi\nand more'])
      expect(readNamedTranscript(text), text).to.equal(null);
  });
});

describe('lines that look like turns', () => {
  const userSays = (context: string) => readConversation({ context }).turns.filter(({ speaker }) => speaker === 'user');

  it('are no turns where they number a list or fill a form in', () => {
    for (const context of [
      'two things\na) i want to kill myself\nb) nobody would notice',
      'Which is better?\na) Nike Pegasus 41\nb) Hoka Clifton 9',
      'My laptop died.\nSystem: Windows 11, 16 GB\nWhich one should I buy, about 800 euros?',
      'printer jammed\nModel: HP DeskJet 2710',
    ]) {
      expect(
        userSays(context).map(({ text }) => text),
        context,
      ).to.deep.equal([context]);
    }
  });

  it('are all the person’s where two names speak once each', () => {
    expect(userSays('Question: I want to kill myself\nCountry: UK').map(({ text }) => text)).to.deep.equal([
      'I want to kill myself',
      'UK',
    ]);
  });

  it('are turns beside a name that only a transcript has, or one of the person', () => {
    expect(readMarkedTranscript('Q: one\nA: two')?.slice(1)).to.deep.equal([
      { speaker: 'user', text: 'one\n' },
      { speaker: 'assistant', text: 'two' },
    ]);
    expect(readMarkedTranscript('Agent: one\nClient: two')?.map(({ speaker }) => speaker)).to.deep.equal([
      'user',
      'assistant',
      'user',
    ]);
    expect(readMarkedTranscript('[user] one\n(assistant): two')?.map(({ speaker }) => speaker)).to.deep.equal([
      'user',
      'user',
      'assistant',
    ]);
    expect(readMarkedTranscript('System: be kind\nAI: hello')?.map(({ speaker }) => speaker)).to.deep.equal([
      'user',
      'system',
      'assistant',
    ]);
  });
});

describe('what is read of a conversation', () => {
  it('is last of all what the person said, whoever spoke last', () => {
    const { last } = readConversation({ context: 'User: one\nAssistant: two' });
    expect(last).to.equal('one');
    expect(readConversation({ context: 'Assistant: one\nAssistant: two' }).last).to.equal('two');
    expect(readConversation({ context: 'Assistant: one' }).last).to.equal('Assistant: one');
  });

  it('has words of its newest 900 characters', () => {
    const conversation = readConversation({ context: `User: ${'x'.repeat(2000)}end` });
    expect(newestText(conversation)).to.equal(`${'x'.repeat(897)}end`);
    expect(newestText(readConversation({ context: 'hi' }))).to.equal('User: hi');
  });

  it('is an empty turn where nothing was said', () => {
    expect(readConversation({}).turns).to.deep.equal([{ speaker: 'user', text: '' }]);
    expect(readConversation({ messages: [{ role: 'system', content: 'Be kind.' }] }).turns).to.deep.equal([
      { speaker: 'user', text: '' },
    ]);
  });
});
