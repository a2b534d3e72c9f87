import { expect } from 'chai';
import { newestMessages } from '../../../../server/http/body/newest-messages.js';

const message = (content: unknown) => ({ role: 'user', content });
const parts = (count: number) => Array.from({ length: count }, (_, at) => ({ type: 'text', text: String(at) }));
const cut = (messages: unknown): unknown =>
  (newestMessages({ messages, context: 'kept' }) as { messages: unknown }).messages;

describe('the messages of a body', () => {
  it('are all kept up to a thousand, with their parts', () => {
    for (const messages of [
      [],
      [message('x'), { role: 'user', parts: parts(3) }],
      Array.from({ length: 1000 }, () => message('x')),
      Array.from({ length: 200 }, () => message(parts(4))),
      [null, 7, [], 'x'],
      'text',
      null,
      undefined,
    ]) {
      const body = { messages };
      expect(newestMessages(body)).to.equal(body);
    }
  });

  it('are else the newest thousand', () => {
    const messages = Array.from({ length: 3000 }, (_, at) => message(String(at)));
    expect(cut(messages)).to.deep.equal(messages.slice(-1000));
    expect(newestMessages({ messages, context: 'kept' })).to.include({ context: 'kept' });
    expect(cut(Array.from({ length: 3000 }, () => null))).to.have.length(1000);
  });

  it('include of a message with too many parts the newest ones', () => {
    const long = { ...message(parts(5000)), parts: parts(5000) };
    expect(cut([message('old'), long])).to.deep.equal([
      { role: 'user', content: parts(5000).slice(-1000), parts: parts(5000).slice(-1000) },
    ]);
    const [first, ...others] = cut([
      message('old'),
      long,
      ...Array.from({ length: 990 }, () => message('x')),
    ]) as object[];
    expect(first).to.deep.include({ content: parts(5000).slice(-10) });
    expect(others).to.have.length(990);
  });
});
