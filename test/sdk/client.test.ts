import { expect } from 'chai';
import { TEXT_PARTS } from '../../models/schema/match-request.js';
import type * as Module from '../../sdk/module.js';
import { fill, noFill, send, startFakeAdServer, type FakeAdServer, type Respond } from '../support/fake-ad-server.js';

/** The built module, as imported without a page. */
const MODULE = new URL('../../sdk/public/adsdk.mjs', import.meta.url).href;

const FIELDS = ['id', 'name', 'text', 'imageUrl', 'impressionUrl', 'targetUrl', 'score'];

describe('The REST client in Node', () => {
  let network: FakeAdServer;
  let sdk: typeof Module;
  before(async () => {
    network = await startFakeAdServer();
    sdk = (await import(MODULE)) as typeof Module;
  });
  beforeEach(() => network.reset());
  after(() => network.close());

  const client = (timeout?: number) => sdk.createClient({ apiKey: 'pub_test', baseUrl: `${network.origin}/`, timeout });
  const codeOf = async (respond: Respond, timeout?: number) => {
    network.respond(respond);
    const { ad, error } = await client(timeout).match({ context: 'boots' });
    expect(ad).to.equal(null);
    expect(error).to.be.instanceOf(sdk.AdsdkError);
    return [error!.code, error!.status];
  };

  it('resolves to the ad', async () => {
    const { ad, reason, error } = await client().match({ context: 'boots' });
    expect(ad).to.include({ id: 'boots-1', score: 0.82 });
    expect([reason, error]).to.deep.equal([null, null]);
    expect(ad).to.have.all.keys(FIELDS);
    expect(network.asked[0]!.headers).to.include({ 'x-api-key': 'pub_test' }).and.not.to.have.property('x-session-id');
  });

  it('resolves to the ad’s language too, or null if the server gives none', async () => {
    network.respond(fill({}, { 'content-language': 'pt-BR' }));
    const { ad, language } = await client().match({ context: 'boots' });
    expect([language, Object.keys(ad!)]).to.deep.equal(['pt-BR', FIELDS]);
    for (const respond of [fill(), noFill(), (response) => send(response, 500, {})] as Respond[]) {
      network.respond(respond);
      expect(await client().match({ context: 'boots' })).to.have.property('language', null);
    }
  });

  it('sends what the request excludes, and requests the disclosure of each ad if it was created with it', async () => {
    const exclude = { creatives: ['a', 'b'], advertisers: ['“A”'] };
    await client().match({ context: 'boots', exclude });
    const disclosure = { advertiser: 'A', payer: null, title: 'Why?', text: 'Because.', language: 'en' };
    network.respond(fill({ disclosure }));
    const asking = sdk.createClient({ apiKey: 'pub_test', baseUrl: network.origin, disclosure: true });
    const { ad } = await asking.match({ messages: [{ role: 'user', content: 'boots' }] });
    expect(ad).to.have.all.keys([...FIELDS, 'disclosure']);
    expect(ad!.disclosure).to.deep.equal(disclosure);
    expect(network.asked.map(({ body }) => JSON.parse(body) as unknown)).to.deep.equal([
      { context: 'boots', exclude },
      { messages: [{ role: 'user', content: 'boots' }], disclosure: true },
    ]);
  });

  it('sends whole characters, even if the cut of a long conversation splits one', async () => {
    await client().match({ context: `${'😀'.repeat(20_000)}!` });
    await client().match({ messages: [{ role: 'user', content: 'half a \ud83d smile' }] });
    const [long, half] = network.asked.map(({ body }) => body);
    expect(long!.slice(0, 17)).to.equal('{"context":"\ufffd😀😀').and.not.include('\\u');
    expect(JSON.parse(half!)).to.deep.equal({ messages: [{ role: 'user', content: 'half a \ufffd smile' }] });
  });

  it('sends the reader’s country', async () => {
    await client().match({ context: 'boots?', country: 'GB' });
    expect(JSON.parse(network.asked[0]!.body)).to.deep.equal({ context: 'boots?', country: 'GB' });
  });

  it('sends only the text of user and assistant messages, and then no context', async () => {
    const { ad } = await client().match({
      context: 'User: something else',
      messages: [
        { role: 'system', content: 'The secret prompt' },
        {
          role: 'user',
          content: [{ type: 'text', text: 'which' }, { type: 'image' }, { type: 'text', text: 'boots?' }],
        },
        { role: 'assistant', content: null },
        { role: 'assistant', content: [{ type: 'reasoning', text: 'thinks' }] },
        { role: 'tool', content: '[1, 2]' },
        { role: 'assistant', content: 'For “hills”?' },
        { role: 'user' },
        { role: 'user', content: 'yes' },
      ],
    });
    expect(ad).to.have.property('id', 'boots-1');
    expect(JSON.parse(network.asked[0]!.body)).to.deep.equal({
      messages: [
        { role: 'user', content: 'which boots?' },
        { role: 'assistant', content: 'For “hills”?' },
        { role: 'user', content: 'yes' },
      ],
    });
  });

  it('reads the parts of a message without content, as in the AI SDK', async () => {
    await client().match({
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'The secret prompt' }] },
        { role: 'user', parts: [{ type: 'text', text: 'which' }, { type: 'file' }, { type: 'text', text: 'boots?' }] },
        { role: 'assistant', parts: [{ type: 'step-start' }, { type: 'reasoning', text: 'thinks' }] },
        { role: 'assistant', content: 'For hills?', parts: [{ type: 'text', text: 'something else' }] },
      ],
    });
    expect(JSON.parse(network.asked[0]!.body)).to.deep.equal({
      messages: [
        { role: 'user', content: 'which boots?' },
        { role: 'assistant', content: 'For hills?' },
      ],
    });
  });

  it('reads the parts of a message with empty content, and leaves data out, as in version 4 of the AI SDK', async () => {
    await client().match({
      messages: [
        { role: 'data', content: 'private', parts: [{ type: 'text', text: 'private' }] },
        { role: 'user', content: '', parts: [{ type: 'text', text: 'which boots?' }] },
        { role: 'assistant', content: [], parts: [{ type: 'text', text: 'For hills?' }] },
      ],
    });
    expect(JSON.parse(network.asked[0]!.body)).to.deep.equal({
      messages: [
        { role: 'user', content: 'which boots?' },
        { role: 'assistant', content: 'For hills?' },
      ],
    });
  });

  it('sends every kind of part that the server reads as text', async () => {
    const content = TEXT_PARTS.map((type) => ({ type, text: type }));
    await client().match({ messages: [{ role: 'user', content }] });
    expect(JSON.parse(network.asked[0]!.body)).to.deep.equal({
      messages: [{ role: 'user', content: TEXT_PARTS.join(' ') }],
    });
  });

  it('sends the newest 40,000 characters of messages, cutting the oldest at its start', async () => {
    const long = (end: string) => 'x'.repeat(19_990) + end;
    await client().match({
      messages: [
        { role: 'user', content: 'gone' },
        { role: 'user', content: long('y'.repeat(30)) },
        { role: 'system', content: 'x'.repeat(90_000) },
        { role: 'assistant', content: long('b') },
        { role: 'user', content: 'boots' },
      ],
    });
    const { messages } = JSON.parse(network.asked[0]!.body) as { messages: { content: string }[] };
    expect(messages.map(({ content }) => content.length)).to.deep.equal([20_004, 19_991, 5]);
    expect(messages[0]!.content).to.match(/^x+y{30}$/);
  });

  it('sends no request if no message has text', async () => {
    for (const messages of [
      [],
      [{ role: 'system', content: 'x' }],
      [{ role: 'user', content: ' ' }],
      [null],
      {},
      7,
      'x',
    ]) {
      const { error } = await client().match({ context: 'boots', messages: messages as [] });
      expect(error!.code, JSON.stringify(messages)).to.equal('invalid-argument');
    }
    expect(network.asked).to.deep.equal([]);
  });

  it('sends a given session', async () => {
    await client().match({ context: 'boots', sessionId: 'visitor-7' });
    expect(network.asked[0]!.headers['x-session-id']).to.equal('visitor-7');
  });

  it('resolves to no ad, with the reason', async () => {
    network.respond(noFill('sensitive'));
    const noAd = { ad: null, language: null, reason: 'sensitive', error: null };
    expect(await client().match({ context: 'grief' })).to.deep.equal(noAd);
    expect(network.asked[0]!.headers).to.include({ 'x-adjacent-no-ad': '204' });
    // As earlier servers, and others that implement only the contract, respond.
    const headers = { 'x-adjacent-reason': 'sensitive' };
    network.respond((response) => send(response, 404, { error: 'no matching creative' }, headers));
    expect(await client().match({ context: 'grief' })).to.deep.equal(noAd);
  });

  it('reports the same errors as the script, and never rejects', async () => {
    expect(await codeOf((response) => send(response, 500, { error: 'internal error' }))).to.deep.equal(['http', 500]);
    expect(await codeOf((response) => send(response, 200, 'garbage'))).to.deep.equal(['invalid-ad', undefined]);
    expect(await codeOf(fill({ targetUrl: 'javascript:1' }))).to.deep.equal(['invalid-ad', undefined]);
    expect(await codeOf(() => {}, 100)).to.deep.equal(['timeout', undefined]);
    const before = network.asked.length;
    expect(await codeOf((response) => response.destroy())).to.deep.equal(['network', undefined]);
    expect(network.asked.length - before).to.equal(2);
    const { error } = await client().match({ context: ' ' });
    expect(error!.code).to.equal('invalid-argument');
  });

  it('waits for the given timeout, even if it exceeds the max of a timer', async () => {
    network.respond((response, asked, count) => setTimeout(() => fill()(response, asked, count), 100));
    for (const timeout of [2 ** 31, Infinity]) {
      expect((await client(timeout).match({ context: 'boots' })).error, String(timeout)).to.equal(null);
    }
  });

  it('stops when its signal is aborted', async () => {
    const turn = new AbortController();
    network.respond(() => turn.abort());
    const { error } = await client().match({ context: 'boots', signal: turn.signal });
    expect(error!.code).to.equal('aborted');
  });

  it('records the impression on request, and returns whether it succeeded', async () => {
    const { ad } = await client().match({ context: 'boots' });
    expect(await client().impression(ad!)).to.equal(true);
    expect(network.events).to.deep.equal(['impression r1']);
    expect(await client().impression({ ...ad!, impressionUrl: `${network.origin}/away` })).to.equal(false);
    expect(await client().impression({ ...ad!, impressionUrl: 'http://127.0.0.1:1/' })).to.equal(false);
  });

  it('throws if created with a key that is not public, or without an address to which requests can be sent', () => {
    const wrongAddresses = [
      undefined,
      '',
      '/ads',
      'ads.example',
      '//ads.example',
      'ftp://ads.example',
      'javascript:1',
      'https://',
      'https://name:password@ads.example',
      'https://ads.example/?key=1',
      'https://ads.example/#ads',
    ].map((baseUrl) => ({ apiKey: 'pub_test', baseUrl }));
    const wrongKeys = ['sk_secret', 'pub_…', 'pub_a\nb'].map((apiKey) => ({ apiKey, baseUrl: network.origin }));
    for (const config of [...wrongAddresses, ...wrongKeys, undefined]) {
      expect(() => sdk.createClient(config as { apiKey: string; baseUrl: string }), JSON.stringify(config))
        .to.throw(sdk.AdsdkError)
        .with.property('code', 'not-initialised');
    }
  });

  it('takes its address as a URL object too', async () => {
    for (const baseUrl of [new URL(network.origin), new URL(`${network.origin}//?`)]) {
      const { error } = await sdk.createClient({ apiKey: 'pub_test', baseUrl }).match({ context: 'boots' });
      expect(error, baseUrl.href).to.equal(null);
    }
  });

  it('sends no request with a session that a header cannot hold', async () => {
    const { error } = await client().match({ context: 'boots', sessionId: 'visitor…' });
    expect([error!.code, network.asked]).to.deep.equal(['invalid-argument', []]);
  });

  it('reports after how many seconds a retry may succeed, if the server says so', async () => {
    for (const [given, expected] of [
      [{ 'retry-after': '7' }, 7],
      [{ 'retry-after': 'Sun, 29 Nov 2026 12:00:00 GMT' }, undefined],
      [{}, undefined],
    ] as const) {
      network.respond((response) => send(response, 503, { error: 'busy' }, given));
      const { error } = await client().match({ context: 'boots' });
      expect([error!.code, error!.retryAfter]).to.deep.equal(['http', expected]);
    }
  });

  it('comes with a script that works without a page', async () => {
    sdk.default.init({ apiKey: 'pub_test', baseUrl: network.origin });
    expect(await sdk.default.getAd({ context: 'boots' })).to.have.property('id', 'boots-1');
    network.respond(noFill());
    expect(await sdk.default.getAd({ context: 'boots' })).to.equal(null);
    expect(await sdk.default.process({ context: 'boots' })).to.equal(null);
  });
});
