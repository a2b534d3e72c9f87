import { expect } from 'chai';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import { Ad } from '../../../models/schema/ad.js';
import { checker } from '../../../models/schema/check.js';
import type { MatchRequest } from '../../../models/schema/match-request.js';
import { OverloadedError } from '../../../server/decide/admission.js';
import type { Decide, Decision, Requester } from '../../../server/domain/decision.js';
import { API } from '../../../server/domain/urls.js';
import { boots, type Service, startService } from './service.js';

describe('match over HTTP', () => {
  let service: Service;
  let decision: () => Decision;
  let requests: { request: MatchRequest; requester: Requester }[] = [];

  const decide: Decide = async (request, requester) => {
    requests.push({ request, requester });
    return decision();
  };
  before(async () => {
    service = await startService({ decide });
  });
  after(() => service.close());
  beforeEach(() => {
    requests = [];
    decision = () => ({ filled: true, creative: boots, score: 0.82 });
  });

  it('returns 200 with an ad in the published format, with absolute URLs', async () => {
    const response = await service.match({ context: 'User: my feet are wet' });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).to.equal('no-store');
    const ad = (await response.json()) as Ad;
    expect(checker(Ad)(ad)).to.deep.equal({ ok: true, value: ad });
    const base = service.baseUrl + API;
    expect(ad).to.include({ id: boots.id, name: boots.name, text: boots.text, score: 0.82 });
    expect(ad.imageUrl).to.equal(`${base}/images/${boots.imageFile}`);
    expect(ad.impressionUrl).to.match(
      /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/public\/creatives\/beacon\?requestId=[\w-]+$/,
    );
    expect(ad.targetUrl.startsWith(`${base}/target/${boots.id}?requestId=`)).to.equal(true);
    expect(new URL(ad.targetUrl).searchParams.get('requestId')).to.equal(
      new URL(ad.impressionUrl).searchParams.get('requestId'),
    );
  });

  it('reads the newest thousand of many messages', async () => {
    const messages = Array.from({ length: 3000 }, (_, at) => ({ role: 'user', content: String(at) }));
    expect((await service.match({ messages })).status).to.equal(200);
    expect(requests[0]?.request.messages).to.deep.equal(messages.slice(-1000));
  });

  it('gives every ad its own request id', async () => {
    const ads = (await Promise.all([1, 2].map(async () => (await service.match({ context: 'x' })).json()))) as Ad[];
    expect(ads[0]?.impressionUrl).to.not.equal(ads[1]?.impressionUrl);
  });

  it('returns null for an image and a text that the creative does not have', async () => {
    decision = () => ({ filled: true, creative: { ...boots, imageFile: null, text: null }, score: 0.5 });
    const ad = (await (await service.match({ context: 'x' })).json()) as Ad;
    expect(ad).to.include({ imageUrl: null, text: null });
  });

  for (const [fields, expected] of [
    [{ language: 'pt-BR', writtenIn: 'es' }, 'pt-BR'],
    [{ writtenIn: 'de' }, 'de'],
    [{}, null],
  ] as const) {
    it(`sends Content-Language ${expected} and the same body fields for a creative with ${JSON.stringify(fields)}`, async () => {
      decision = () => ({ filled: true, creative: { ...boots, ...fields }, score: 0.5 });
      const response = await service.match({ context: 'x' });
      expect(response.headers.get('content-language')).to.equal(expected);
      expect(await response.json()).to.have.all.keys(Ad.required);
    });
  }

  it('sends no Content-Language when there is no ad', async () => {
    decision = () => ({ filled: false, reason: 'below-floor' });
    expect((await service.match({ context: 'x' })).headers.get('content-language')).to.equal(null);
  });

  it('escapes a creative id in a URL', async () => {
    decision = () => ({ filled: true, creative: { ...boots, id: 'schuhe&größe=1' }, score: 0.5 });
    const ad = (await (await service.match({ context: 'x' })).json()) as Ad;
    expect(ad.targetUrl).to.include('/target/schuhe%26gr%C3%B6%C3%9Fe%3D1?requestId=');
  });

  for (const reason of ['no-catalogue', 'below-floor', 'sensitive', 'not-eligible'] as const) {
    it(`returns 404 {error} with the reason ${reason} when there is no ad`, async () => {
      decision = () => ({ filled: false, reason });
      const response = await service.match({ context: 'x' });
      expect(response.status).to.equal(404);
      expect(response.headers.get('x-adjacent-reason')).to.equal(reason);
      expect(response.headers.get('access-control-expose-headers')).to.equal('x-adjacent-reason, retry-after');
      const body = (await response.json()) as { error: string };
      expect(Object.keys(body)).to.deep.equal(['error']);
      expect(body.error).to.match(/^no matching creative/);
    });
  }

  it('returns 204 with the reason and no body if the client asks for it', async () => {
    decision = () => ({ filled: false, reason: 'below-floor' });
    const response = await service.match({ context: 'x' }, { 'x-adjacent-no-ad': '204' });
    expect([response.status, await response.text()]).to.deep.equal([204, '']);
    expect(response.headers.get('x-adjacent-reason')).to.equal('below-floor');
    expect(response.headers.get('access-control-expose-headers')).to.equal('x-adjacent-reason, retry-after');
    expect((await service.match({ context: 'x' }, { 'x-adjacent-no-ad': 'yes' })).status).to.equal(404);
  });

  for (const error of [new EncoderBusyError(), new OverloadedError()]) {
    it(`returns 503 with Retry-After on ${error.name}`, async () => {
      decision = () => {
        throw error;
      };
      const response = await service.match({ context: 'x' });
      expect(response.status).to.equal(503);
      expect(response.headers.get('retry-after')).to.equal('1');
      expect(await response.json()).to.have.all.keys('error');
    });
  }

  it('returns 500 without details of the error, and logs them', async () => {
    decision = () => {
      throw new Error('secret of the server');
    };
    const response = await service.match({ context: 'x' });
    expect(response.status).to.equal(500);
    expect(await response.json()).to.deep.equal({ error: 'internal server error' });
    expect(response.headers.get('access-control-allow-origin')).to.equal('*');
    expect(JSON.stringify(service.logged)).to.include('secret of the server');
  });

  it('passes the session and the messages on, without a context', async () => {
    const parts = [
      { type: 'text', text: 'boots' },
      { type: 'image_url', image_url: { url: 'data:,' } },
    ];
    const messages = [
      { role: 'user', content: parts, colour: 'unknown fields are ignored' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'assistant', tool_calls: [] },
      { role: 'assistant', content: '', parts: [{ type: 'step-start' }, { type: 'text', text: 'For hills?' }] },
      { role: 'tool', content: 'x', tool_call_id: '1' },
    ];
    expect((await service.match({ messages, colour: 'ignored too' }, { 'x-session-id': 's-1' })).status).to.equal(200);
    expect(requests[0]?.requester.session).to.equal('s-1');
    expect(requests[0]?.requester.publisher.name).to.equal('Chat');
    expect(requests[0]?.request.messages).to.deep.equal(messages);
  });

  it('passes on what the request excludes, with names as they are compared', async () => {
    const exclude = { categories: ['Loans '], advertisers: ['ＡＣＭＥ'], creatives: ['Boots-1'] };
    expect((await service.match({ context: 'x', exclude })).status).to.equal(200);
    expect((await service.match({ context: 'x', exclude: {} })).status).to.equal(200);
    expect((await service.match({ context: 'x' })).status).to.equal(200);
    const [given, none, absent] = requests.map(({ requester }) => requester.excluded);
    expect(given).to.deep.equal({
      categories: new Set(['loans']),
      advertisers: new Set(['acme']),
      creatives: new Set(['Boots-1']),
    });
    expect(none).to.deep.equal({ categories: new Set(), advertisers: new Set(), creatives: new Set() });
    expect(absent).to.equal(undefined);
  });

  for (const [exclude, fault] of [
    [{ categories: 'Loans' }, 'exclude.categories must be array'],
    [{ advertiser: ['ACME'] }, 'exclude.advertiser is not a known field'],
    [{ advertisers: [' '] }, 'exclude.advertisers.0 must not be blank'],
    [{ advertisers: ['half \ud800'] }, 'exclude.advertisers.0'],
    [{ advertisers: Array(101).fill('x') }, 'exclude.advertisers must NOT have more than 100 items'],
    [{ creatives: Array(1001).fill('x') }, 'exclude.creatives must NOT have more than 1000 items'],
    [{ creatives: ['x'.repeat(129)] }, 'exclude.creatives.0 must NOT have more than 128 characters'],
    [null, 'exclude must be object'],
  ] as const) {
    it(`returns 400 that names the fault: ${fault}`, async () => {
      const response = await service.match({ context: 'x', exclude });
      expect(response.status).to.equal(400);
      expect(((await response.json()) as { error: string }).error).to.include(fault);
      expect(requests).to.have.length(0);
    });
  }

  it('passes on the country that the proxy names, if that is set up, and refuses what is no code', async () => {
    const withHeader = await startService({ decide, trustProxy: 1, countryHeader: 'cf-ipcountry' });
    try {
      for (const country of ['gb', 'XX', 'T1']) await withHeader.match({ context: 'x' }, { 'CF-IPCountry': country });
      await withHeader.match({ context: 'x' });
    } finally {
      await withHeader.close();
    }
    await service.match({ context: 'x', country: 'DE' }, { 'CF-IPCountry': 'GB' });
    expect(requests.map(({ requester }) => requester.country)).to.deep.equal(['GB', null, null, null, null]);
    expect(requests.at(-1)!.request.country).to.equal('DE');
    const refused = await service.match({ context: 'x', country: 'Germany' });
    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.include('country must be a country code of two letters such as GB');
  });

  it('passes no session on when none is sent', async () => {
    await service.match({ context: 'x' });
    expect(requests[0]?.requester.session).to.equal(undefined);
  });

  it('counts each decision by its reason', async () => {
    const before = await service.metric('adjacent_decisions_total{reason="filled"}');
    await service.match({ context: 'x' });
    expect(await service.metric('adjacent_decisions_total{reason="filled"}')).to.equal(before + 1);
  });

  it('counts each decision by the language of the conversation; an uncovered language as other', async () => {
    const line = (language: string, outcome: string) =>
      service.metric(`adjacent_decisions_by_language_total{language="${language}",outcome="${outcome}"}`);
    const none = { filled: false, reason: 'below-floor' } as const;
    for (const [made, label, outcome] of [
      [{ filled: true, creative: boots, score: 1, language: 'de' }, 'de', 'filled'],
      [{ ...none, language: 'de' }, 'de', 'no-ad'],
      [{ ...none, language: 'fi' }, 'other', 'no-ad'],
      [{ ...none, language: null }, 'unknown', 'no-ad'],
      [{ filled: false, reason: 'no-catalogue' }, 'unknown', 'no-ad'],
    ] as const) {
      decision = () => made;
      const before = await line(label, outcome);
      await service.match({ context: 'x' });
      expect(await line(label, outcome), label).to.equal(before + 1);
    }
  });

  it('never logs the context, the key, the session or a query', async () => {
    await service.match({ context: 'my very own heart condition' }, { 'x-session-id': 'session-of-mine' });
    await service.match('{"context": "my very own heart condition", broken');
    await service.api('/beacon?requestId=very-own-id');
    await service.fetch('/my-very-own-path');
    const log = JSON.stringify(service.logged);
    for (const secret of ['very', 'heart', 'session-of-mine', service.key]) expect(log).to.not.include(secret);
    expect(log).to.include('"route":"/api/v1/public/creatives/match"');
  });
});
