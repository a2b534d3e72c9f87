import { expect } from 'chai';
import { newestText, readConversation } from '../../../../server/decide/conversation/conversation.js';
import { readJsonTranscript, textOf } from '../../../../server/decide/conversation/json-transcript.js';
import {
  readLabelledTranscript,
  readNamedTranscript,
} from '../../../../server/decide/conversation/labelled-transcript.js';
import { speakerOf } from '../../../../server/decide/conversation/speakers.js';

const json = (value: unknown) => readJsonTranscript(JSON.stringify(value));

describe('a JSON transcript', () => {
  it('is a list of messages, an object with such a list under a common name, or one message', () => {
    const messages = [{ role: 'user', content: 'hi' }];
    const turns = [{ speaker: 'user', text: 'hi' }];
    for (const value of [messages, { messages }, { conversation: messages }, { history: messages }, messages[0]])
      expect(json(value), JSON.stringify(value)).to.deep.equal(turns);
    expect(readJsonTranscript(` \n${JSON.stringify(messages)}`)).to.deep.equal(turns);
  });

  it('may use the field names of common chat interfaces; the first one found counts', () => {
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

  it('may have one message per line, with commas and empty lines', () => {
    expect(readJsonTranscript('{"text":"one"},\n\n {"text":"two"} \n')).to.deep.equal([
      { speaker: 'user', text: 'one' },
      { speaker: 'user', text: 'two' },
    ]);
    expect(readJsonTranscript('{"text":"one"}\nand more')).to.equal(null);
  });

  it('is rejected if it contains anything else', () => {
    for (const value of [[], {}, [1], ['hi'], [null], [[]], { messages: 'hi' }, { messages: [] }, [{ role: 'user' }]])
      expect(json(value), JSON.stringify(value)).to.equal(null);
    expect(json([{ text: 'one' }, { role: 'user' }])).to.equal(null);
    for (const text of ['hi', '"hi"', 'null', '[', '']) expect(readJsonTranscript(text), text).to.equal(null);
  });

  it('may have content in parts, of which only text counts', () => {
    expect(textOf(['one', { text: 'two' }, { type: 'output_text', text: 'three' }])).to.equal('one two three');
    expect(textOf([{ type: 'image', text: 'no' }, { type: 'text' }, 7, null, ''])).to.equal('');
    expect(textOf({ text: 'one' })).to.equal('one');
    expect(textOf({ type: 'reasoning', text: 'no' })).to.equal('');
    expect(textOf(7)).to.equal('');
  });
});

describe('speakers', () => {
  it('are recognized by many names in any case; an unknown name is the user', () => {
    for (const name of ['Customer', 'ME', 'q', 'caller']) expect(speakerOf(name), name).to.equal('user');
    for (const name of ['ChatGPT', 'operator', 'A', 'you']) expect(speakerOf(name), name).to.equal('assistant');
    for (const name of ['System', 'tool']) expect(speakerOf(name), name).to.equal('system');
    expect(speakerOf('Mia')).to.equal('user');
  });

  it('label lines; text before the first label is the user’s', () => {
    expect(readLabelledTranscript('no marks')).to.equal(null);
    expect(readLabelledTranscript('before\nAI: one<|im_end|>\nUser: two')).to.deep.equal([
      { speaker: 'user', text: 'before\n' },
      { speaker: 'assistant', text: 'one\n' },
      { speaker: 'user', text: 'two' },
    ]);
  });

  it('may be two names, of which the last to speak is the user', () => {
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

  it('are not turns if they number a list or fill in a form', () => {
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

  it('all belong to the user if two names speak once each', () => {
    expect(userSays('Question: I want to kill myself\nCountry: UK').map(({ text }) => text)).to.deep.equal([
      'I want to kill myself',
      'UK',
    ]);
  });

  it('are turns if another label is one that only transcripts use, or one for the user', () => {
    expect(readLabelledTranscript('Q: one\nA: two')?.slice(1)).to.deep.equal([
      { speaker: 'user', text: 'one\n' },
      { speaker: 'assistant', text: 'two' },
    ]);
    expect(readLabelledTranscript('Agent: one\nClient: two')?.map(({ speaker }) => speaker)).to.deep.equal([
      'user',
      'assistant',
      'user',
    ]);
    expect(readLabelledTranscript('[user] one\n(assistant): two')?.map(({ speaker }) => speaker)).to.deep.equal([
      'user',
      'user',
      'assistant',
    ]);
    expect(readLabelledTranscript('System: be kind\nAI: hello')?.map(({ speaker }) => speaker)).to.deep.equal([
      'user',
      'system',
      'assistant',
    ]);
  });
});

describe('a parsed conversation', () => {
  it('has the last user turn as `last`, whoever spoke last', () => {
    const { last } = readConversation({ context: 'User: one\nAssistant: two' });
    expect(last).to.equal('one');
    expect(readConversation({ context: 'Assistant: one\nAssistant: two' }).last).to.equal('two');
    expect(readConversation({ context: 'Assistant: one' }).last).to.equal('Assistant: one');
  });

  it('has its newest 900 characters searched for words', () => {
    const conversation = readConversation({ context: `User: ${'x'.repeat(2000)}end` });
    expect(newestText(conversation)).to.equal(`${'x'.repeat(897)}end`);
    expect(newestText(readConversation({ context: 'hi' }))).to.equal('User: hi');
  });

  it('is one empty turn if there is no text', () => {
    expect(readConversation({}).turns).to.deep.equal([{ speaker: 'user', text: '' }]);
    expect(readConversation({ messages: [{ role: 'system', content: 'Be kind.' }] }).turns).to.deep.equal([
      { speaker: 'user', text: '' },
    ]);
  });
});
