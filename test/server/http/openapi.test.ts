import { Ajv2020, type AnySchema } from '#ajv';
import { expect } from 'chai';
import { createHash } from 'node:crypto';
import type { OpenApi } from '../../../server/http/docs/openapi.js';
import { API } from '../../../server/domain/urls.js';
import { boots, type Service, startService } from './service.js';

/** Headers that a response has only in some cases. */
const SOMETIMES = new Set(['x-adjacent-reason', 'Content-Language']);

describe('the published contract', () => {
  let service: Service;
  let contract: OpenApi;
  before(async () => {
    service = await startService();
    contract = (await (await service.fetch('/openapi.json')).json()) as OpenApi;
  });
  after(() => service.close());

  /** Requires that a response matches the contract: its status, its headers, its body. */
  const answered = async (template: string, method: string, response: Response) => {
    const answer = contract.paths[template]?.[method]?.responses[String(response.status)];
    if (answer === undefined) return expect.fail(`${method} ${template} ${response.status} is not in the contract`);
    for (const name of Object.keys(answer.headers ?? {})) {
      if (!SOMETIMES.has(name)) expect(response.headers.get(name), name).to.not.equal(null);
    }
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const types = Object.keys(answer.content ?? {});
    if (types.length === 0) return undefined;
    expect(types.some((each) => each === type || (each === 'image/*' && type.startsWith('image/')))).to.equal(
      true,
      type,
    );
    const schema = answer.content?.[type]?.schema as AnySchema;
    if (type !== 'application/json') return undefined;
    const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
    ajv.addSchema({ $id: 'contract:', ...contract }).addKeyword('components');
    const reference = (schema as { $ref?: string }).$ref;
    const validate = ajv.compile(reference === undefined ? schema : { $ref: `contract:${reference}` });
    expect(validate(await response.json()), JSON.stringify(validate.errors)).to.equal(true);
    return undefined;
  };

  it('is a complete OpenAPI 3.1 document that names this server', () => {
    expect(contract.openapi).to.match(/^3\.1\./);
    expect(contract.servers).to.deep.equal([{ url: service.baseUrl }]);
    const text = JSON.stringify(contract);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(contract.components.schemas).to.have.property(name ?? '');
    }
    const ids = Object.values(contract.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).to.equal(ids.length);
    for (const [path, methods] of Object.entries(contract.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = Object.values(methods).flatMap((method) => method.parameters ?? []);
      expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).to.deep.equal(named);
    }
  });

  it('has the same requirements for a match request as the service', async () => {
    const schema = contract.components.schemas['MatchRequest'] as { properties: object };
    expect(schema.properties).to.have.all.keys('context', 'messages', 'exclude', 'country', 'disclosure');
    expect(contract.components.schemas['Ad']).to.have.nested.property('properties.imageUrl');
    const allows = new Ajv2020({ strict: false }).compile(schema);
    const turn = { role: 'user', content: 'x' };
    for (const [body, status] of [
      [{ context: 'x' }, 200],
      [{ messages: [turn] }, 200],
      [{ context: 'x', messages: [turn, { role: 'assistant', content: null }] }, 200],
      [{ messages: [{ ...turn, content: [{ type: 'text', text: 'x' }, { type: 'file' }] }] }, 200],
      [{ messages: [turn, { role: 'assistant', tool_calls: [] }] }, 200],
      [{ messages: [{ role: 'user', parts: [{ type: 'step-start' }, { type: 'text', text: 'x' }] }] }, 200],
      [{ messages: [{ ...turn, content: '', parts: [{ type: 'text', text: 'x' }] }] }, 200],
      [{ messages: [{ ...turn, content: [], parts: [{ type: 'text', text: 'x' }] }] }, 200],
      [{ messages: [{ ...turn, content: ' ', parts: [{ type: 'text', text: 'x' }] }] }, 400],
      [{ messages: [{ role: 'user', parts: [{ type: 'text', text: ' ' }] }] }, 400],
      [{ messages: [turn, { ...turn, parts: [{ type: 'text' }] }] }, 400],
      [{ messages: [{ role: 'user' }] }, 400],
      [{ context: 'x', disclosure: true, exclude: { creatives: ['a'], advertisers: ['A'], categories: ['A'] } }, 200],
      [{ context: 'x', disclosure: 1 }, 400],
      [{ context: 'x', exclude: { creative: ['a'] } }, 400],
      [{ context: 'x', exclude: { categories: [''] } }, 400],
      [{}, 400],
      [{ context: ' ' }, 400],
      [{ messages: [] }, 400],
      [{ messages: [{ ...turn, role: 'system' }] }, 400],
      [{ messages: [turn, { ...turn, role: 'bot' }] }, 400],
      [{ messages: [{ ...turn, content: [{ type: 'text' }] }] }, 400],
    ] as const) {
      expect([allows(body), (await service.match(body)).status], JSON.stringify(body)).to.deep.equal([
        status === 200,
        status,
      ]);
    }
  });

  it('describes the responses of match', async () => {
    const path = `${API}/match`;
    expect(contract.paths[path]?.['post']?.responses['200']?.headers).to.have.all.keys('Content-Language');
    await answered(path, 'post', await service.match({ context: 'x' }));
    await answered(path, 'post', await service.match({ context: 'x', disclosure: true }));
    await answered(path, 'post', await service.match({}));
    await answered(path, 'post', await service.match({ context: 'x' }, { 'x-api-key': 'no' }));
    await answered(path, 'post', await service.match({ context: 'x'.repeat(300_000) }));
    await answered(path, 'post', await service.fetch(path));
    const limited = await service.storeNewKey({ requestsPerMinute: 1 });
    for (let status = 0; status !== 429;) {
      const response = await service.match({ context: 'x' }, { 'x-api-key': limited });
      status = response.status;
      await answered(path, 'post', response);
    }
  });

  it('describes the responses of the other paths', async () => {
    await answered(`${API}/beacon`, 'get', await service.api('/beacon?requestId=x'));
    await answered(`${API}/target/{creativeId}`, 'get', await service.api(`/target/${boots.id}`));
    await answered(`${API}/target/{creativeId}`, 'get', await service.api('/target/nope'));
    await answered(`${API}/images/{file}`, 'get', await service.api('/images/nope'));
    await answered('/sdk/{file}', 'get', await service.fetch('/sdk/adsdk.js'));
    await answered('/sdk/{file}', 'get', await service.fetch('/sdk/integrity.json'));
    await answered('/readyz', 'get', await service.fetch('/readyz?for=traffic'));
    await answered('/readyz', 'get', await service.fetch('/readyz?for=matches'));
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
      await answered(path, 'get', await service.fetch(path));
      await answered(path, 'get', await service.fetch(path, { method: 'POST' }));
    }
  });

  it('is shown on its own page, without scripts or external resources', async () => {
    const response = await service.fetch('/docs');
    const page = await response.text();
    for (const path of Object.keys(contract.paths)) expect(page).to.include(path);
    expect(page.match(/Needs [^<]*<code>[^<]*/g)).to.deep.equal([
      'Needs a publisher key in the header <code>x-api-key',
    ]);
    expect(page)
      .to.include('x-adjacent-reason')
      .and.not.include('<script')
      .and.not.match(/(src|href)="(https?:)?\/\//);
    const [, style] = /<style>([^<]+)<\/style>/.exec(page)!;
    const digest = createHash('sha256').update(style!).digest('base64');
    expect(response.headers.get('content-security-policy')).to.match(/^default-src 'none'; /);
    expect(response.headers.get('content-security-policy')).to.include(`style-src 'sha256-${digest}';`);
  });
});
