import { expect } from 'chai';
import type { Encoder, Encoding, Turn } from '../../../models/encoder/encoder.js';
import { createContextEncoder } from '../../../server/decide/encode-context.js';
import { readConversation } from '../../../server/decide/conversation/conversation.js';

/** An encoder that only records its input. */
function noting(options: { readonly complete?: boolean; readonly fails?: boolean } = {}) {
  const encoded: string[] = [];
  const read: string[] = [];
  const made = (): Encoding => ({ vector: new Float32Array(1), signals: null });
  const fault = { next: options.fails ?? false };
  const plain: Encoder = {
    fingerprint: 'noting',
    dims: 1,
    embed: () => Promise.reject(new Error('nothing is embedded')),
    encodeWithSignals(text) {
      encoded.push(text);
      if (fault.next) return Promise.reject(new Error('busy'));
      return Promise.resolve(made());
    },
    close: () => Promise.resolve(),
  };
  const joint: Encoder = {
    ...plain,
    joint: {
      read(turns: readonly Turn[]) {
        read.push(turns.map(({ text }) => text).join('|'));
        return Promise.resolve({ ...made(), complete: options.complete ?? true });
      },
    },
  };
  return { plain, joint, encoded, read, fault };
}
/** The same number of turns for both encoders. */
const up = (turns: number) => ({ turns, secondTurns: turns });
const chat = (...turns: string[]) =>
  readConversation({ context: turns.map((text, at) => `${at % 2 === 0 ? 'User' : 'Assistant'}: ${text}`).join('\n') });

describe('encoding a conversation turn by turn', () => {
  it('needs one pass for a single turn, which is the whole conversation', async () => {
    const { plain, encoded } = noting();
    const one = await createContextEncoder(plain, up(3))(chat('boots'), 'somebody');
    expect(encoded).to.deep.equal(['User: boots']);
    expect(one.turns).to.deep.equal([one.whole]);
    expect(one.userTurns).to.deep.equal(['boots']);
  });

  it('treats the whole conversation as the user’s if only the assistant speaks', async () => {
    const { plain, encoded } = noting();
    const talk = readConversation({ context: 'Assistant: hello\nAssistant: are you there?' });
    const one = await createContextEncoder(plain, up(3))(talk, 'somebody');
    expect(encoded).to.deep.equal([talk.whole]);
    expect(one.userTurns).to.deep.equal([talk.whole]);
  });

  it('encodes the newest user turns beside the whole, as many as the gate needs', async () => {
    const { plain, encoded } = noting();
    const conversation = chat('one', 'ok', 'two', 'ok', 'three');
    const context = await createContextEncoder(plain, up(2))(conversation, null);
    expect(encoded).to.deep.equal([conversation.whole, 'three', 'two']);
    expect(context.turns).to.have.length(2);
    expect(context.userTurns).to.deep.equal(['three', 'two', 'one']);
    expect(context.turns.includes(context.whole)).to.equal(false);
  });

  it('caches turns for their owner only, and no failures', async () => {
    const { plain, encoded, fault } = noting();
    const encode = createContextEncoder(plain, up(5));
    const times = async (owner: string | null): Promise<number> => {
      const before = encoded.length;
      await encode(chat('one', 'ok', 'two'), owner).catch(() => undefined);
      return encoded.length - before;
    };
    fault.next = true;
    expect(await times('a')).to.equal(3);
    fault.next = false;
    expect(await times('a')).to.equal(3);
    expect(await times('a')).to.equal(1);
    expect(await times('b')).to.equal(3);
    expect(await times(null)).to.equal(3);
    expect(await times(null)).to.equal(3);
  });

  it('evicts the least recently used entry', async () => {
    const { plain, encoded } = noting();
    const encode = createContextEncoder(plain, up(2));
    const first = (): Promise<unknown> => encode(chat('first', 'ok', 'kept'), 'a');
    await first();
    for (let at = 0; at < 1998; at++) await encode(chat(`n${at}`, 'ok', 'kept'), 'a');
    encoded.length = 0;
    await first();
    expect(encoded).to.have.length(1);
    for (const at of [1, 2]) await encode(chat(`more${at}`, 'ok', 'kept'), 'a');
    encoded.length = 0;
    await first();
    expect(encoded).to.have.length(1);
    await encode(chat('n0', 'ok', 'kept'), 'a');
    expect(encoded).to.include('n0');
  });
});

describe('encoding a conversation in one pass', () => {
  it('reads it once for its owner, and no pieces if the reading is complete', async () => {
    const { joint, read } = noting();
    const encode = createContextEncoder(joint, up(3));
    const context = await encode(chat('one', 'ok', 'two'), 'a');
    await encode(chat('one', 'ok', 'two'), 'a');
    expect(read).to.deep.equal(['one|ok|two']);
    expect(context.turns).to.deep.equal([context.whole]);
    expect(context.userTurns).to.deep.equal(['two', 'one']);
    expect((await encode(readConversation({ context: 'Assistant: hello' }), null)).userTurns).to.deep.equal([
      'Assistant: hello',
    ]);
  });

  it('reads it again if the same text is divided into different turns', async () => {
    const { joint, read } = noting();
    const encode = createContextEncoder(joint, up(3));
    await encode(readConversation({ messages: [{ role: 'user', content: 'one\nAssistant: ok' }] }), 'a');
    await encode(
      readConversation({
        messages: [
          { role: 'user', content: 'one' },
          { role: 'assistant', content: 'ok' },
        ],
      }),
      'a',
    );
    expect(read).to.have.length(2);
  });

  it('reads the user’s text in pieces if it is too long, newest first', async () => {
    const { joint, read } = noting({ complete: false });
    const encode = createContextEncoder(joint, up(2));
    const [long, newest] = ['a'.repeat(300), 'b'.repeat(100)];
    await encode(chat(long, 'ok', newest), 'a');
    expect(read.slice(1)).to.deep.equal([newest, long]);
    read.length = 0;
    await encode(chat(long, 'ok', newest, 'ok', 'c'), 'a');
    // The first piece is cached; the last one has grown.
    expect(read.slice(1)).to.deep.equal([`${newest} c`]);
  });

  it('cuts pieces of at most 400 characters, and words at 400', async () => {
    const { joint, read } = noting({ complete: false });
    const encode = createContextEncoder(joint, up(9));
    await encode(chat(`${'a'.repeat(199)} ${'b'.repeat(201)} ${'c'.repeat(500)}`), null);
    expect(read.slice(1).map((text) => text.length)).to.deep.equal([400, 201, 199]);
    read.length = 0;
    await encode(chat(`${'a'.repeat(199)} ${'b'.repeat(200)} c`), null);
    expect(read.slice(1).map((text) => text.length)).to.deep.equal([1, 400]);
    read.length = 0;
    await createContextEncoder(joint, up(2))(chat('a'.repeat(399), 'ok', 'b'.repeat(399), 'ok', 'c'.repeat(399)), null);
    expect(read.slice(1).map((text) => text[0])).to.deep.equal(['c', 'b']);
  });
});
