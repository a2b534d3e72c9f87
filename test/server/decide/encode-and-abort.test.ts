import { expect } from 'chai';
import type { Encoder, Encoding } from '../../../models/encoder/encoder.js';
import { createContextEncoder } from '../../../server/decide/encode-context.js';

/** An encoder whose jobs end when `end` is called, and fail when aborted before. */
function heldEncoder() {
  const jobs: { text: string; end: () => void }[] = [];
  const encodeWithSignals = (text: string, signal?: AbortSignal) =>
    new Promise<Encoding>((resolve, reject) => {
      jobs.push({ text, end: () => resolve({ vector: new Float32Array(4), signals: null }) });
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const encoder: Encoder = {
    fingerprint: 'held',
    dims: 4,
    embed: async (text) => (await encodeWithSignals(text)).vector,
    encodeWithSignals,
    close: async () => undefined,
  };
  return { encoder, jobs };
}

describe('encoding a conversation', () => {
  const conversation = {
    turns: [
      { speaker: 'user', text: 'one' },
      { speaker: 'user', text: 'two' },
    ],
    last: 'two',
    whole: 'User: one\nUser: two',
  } as const;

  it('continues for a request that waits for the same text after another request is aborted', async () => {
    const { encoder, jobs } = heldEncoder();
    const encode = createContextEncoder(encoder, { turns: 8, secondTurns: 8 });
    const [first, second] = [new AbortController(), new AbortController()];
    const gone = encode(conversation, 'session', first.signal).catch((error: Error) => error.message);
    const kept = encode(conversation, 'session', second.signal);
    first.abort(new Error('went away'));
    expect(await gone).to.equal('went away');
    // The first request's turns again, for the second request, and its own whole from before.
    while (jobs.length < 5) await Promise.resolve();
    for (const { end } of jobs) end();
    expect((await kept).turns).to.have.length(2);
    expect(jobs.map(({ text }) => text).filter((text) => text === 'two')).to.have.length(2);
  });

  it('caches turns, but no failures', async () => {
    const { encoder, jobs } = heldEncoder();
    const encode = createContextEncoder(encoder, { turns: 8, secondTurns: 8 });
    const first = new AbortController();
    const gone = encode(conversation, 'session', first.signal).catch((error: Error) => error.message);
    first.abort(new Error('went away'));
    await gone;
    const again = encode(conversation, 'session');
    while (jobs.length < 6) await Promise.resolve();
    for (const { end } of jobs) end();
    await again;
    const third = encode(conversation, 'session');
    expect(jobs).to.have.length(7);
    jobs.at(-1)!.end();
    await third;
  });
});
