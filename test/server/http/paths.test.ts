import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Ad } from '../../../models/schema/ad.js';
import { API } from '../../../server/domain/urls.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { boots, type Service, startService } from './service.js';

describe('paths, methods and origins', () => {
  let service: Service;
  before(async () => {
    const directory = join(temporaryDirectory(), 'demo');
    mkdirSync(directory);
    writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Demo</title>');
    writeFileSync(join(directory, 'demo.css'), 'p{}');
    service = await startService({ demo: { directory, apiKey: 'pub_demo' } });
    writeFileSync(join(service.dataDir, 'images', boots.imageFile ?? ''), Buffer.from('\x89PNG and so on', 'latin1'));
  });
  after(() => service.close());

  const expectError = async (response: Response, status: number) => {
    expect(response.status).to.equal(status);
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(await response.json()).to.have.all.keys('error');
    expect(response.headers.get('access-control-allow-origin')).to.equal('*');
    expect(response.headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
    expect(response.headers.get('access-control-expose-headers')).to.equal('x-adjacent-reason, retry-after');
  };

  /**
   * Does not use fetch, which adds `Cache-Control: no-cache` to conditional requests and does not send every method.
   */
  const statusOf = (path: string, options: RequestOptions) =>
    new Promise((resolve, reject) => {
      const sent = request(service.baseUrl + path, options, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });

  for (const path of ['/nothing', API, `${API}/nothing`, '/API/V1/PUBLIC/CREATIVES/beacon', '/%00', '/%E0%A4%A']) {
    it(`returns 404 {error} for the unknown path ${path}`, async () => expectError(await service.fetch(path), 404));
  }

  for (const [method, path, allow] of [
    ['GET', `${API}/match`, ['POST']],
    ['PUT', `${API}/match`, ['POST']],
    ['POST', `${API}/beacon`, ['GET', 'HEAD']],
    ['DELETE', `${API}/target/boots-1`, ['GET', 'HEAD']],
    ['POST', '/', ['GET', 'HEAD']],
    ['PATCH', '/sdk/adsdk.js', ['GET', 'HEAD']],
  ] as const) {
    it(`returns 405 {error} with Allow for ${method} ${path}`, async () => {
      const response = await service.fetch(path, { method });
      expect(response.headers.get('allow')?.split(', ').sort()).to.deep.equal(allow);
      await expectError(response, 405);
    });
  }

  it('returns 501 {error} for an unknown method', async () => {
    expect(await statusOf(`${API}/match`, { method: 'PROPFIND' })).to.equal(501);
  });

  for (const path of [`${API}/match`, `${API}/beacon`, '/sdk/adsdk.js', '/nothing']) {
    it(`answers OPTIONS ${path} with 204 before the key check`, async () => {
      const response = await service.fetch(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://chat.example', 'access-control-request-method': 'POST' },
      });
      expect(response.status).to.equal(204);
      expect(await response.text()).to.equal('');
      expect(response.headers.get('access-control-allow-origin')).to.equal('*');
      expect(response.headers.get('access-control-allow-headers')).to.equal(
        'content-type, x-api-key, x-session-id, x-adjacent-no-ad',
      );
      expect(response.headers.get('access-control-allow-methods')).to.include('POST');
      expect(response.headers.get('access-control-max-age')).to.equal('7200');
    });
  }

  it('allows the headers that tracing tools add to the requests of a page', async () => {
    const preflight = async (headers: string) => {
      const response = await service.fetch(`${API}/match`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://chat.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': headers,
        },
      });
      expect(response.status).to.equal(204);
      expect(response.headers.get('vary')).to.equal('Access-Control-Request-Headers');
      expect(response.headers.get('access-control-max-age')).to.equal('7200');
      return response.headers.get('access-control-allow-headers');
    };
    const own = 'content-type, x-api-key, x-session-id, x-adjacent-no-ad';
    expect(await preflight('baggage,content-type,sentry-trace,traceparent, X-Api-Key')).to.equal(
      `${own}, baggage, sentry-trace, traceparent`,
    );
    expect(await preflight('a b, <c>, \xe9, ,ok')).to.equal(`${own}, ok`);
  });

  it('sends CORS headers with a refused key, a bad body and an ad', async () => {
    await expectError(await service.match({ context: 'x' }, { 'x-api-key': 'no' }), 401);
    await expectError(await service.match('{'), 400);
    const response = await service.match({ context: 'x' });
    expect(response.headers.get('access-control-allow-origin')).to.equal('*');
    expect(response.headers.get('vary')).to.equal(null);
  });

  it("does not allow other origins on the operators' paths", async () => {
    for (const path of ['/metrics', '/healthz', '/readyz']) {
      expect((await service.fetch(path)).headers.get('access-control-allow-origin'), path).to.equal(null);
    }
  });

  it('serves an image as immutable, under a policy that runs no script', async () => {
    const response = await service.api(`/images/${boots.imageFile}`);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('image/png');
    expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(response.headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox");
    expect(response.headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).to.equal('\x89PNG and so on');
    const etag = response.headers.get('etag') ?? '';
    expect(await statusOf(`${API}/images/${boots.imageFile}`, { headers: { 'if-none-match': etag } })).to.equal(304);
    const head = await service.api(`/images/${boots.imageFile}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, '14']);
  });

  for (const file of [
    '..%2fkeys.json',
    '%2e%2e%2fkeys.json',
    `${'ab'.repeat(32)}.svg`,
    `${'cd'.repeat(32)}.png`,
    'x'.repeat(5000),
  ]) {
    it(`returns 404 {error} for the image ${file.slice(0, 80)}`, async () =>
      expectError(await service.api(`/images/${file}`), 404));
  }

  it('serves the demo page and its key', async () => {
    const page = await service.fetch('/');
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).to.include("script-src 'self'");
    expect(await page.text()).to.include('Demo');
    expect((await service.fetch('/demo/demo.css')).headers.get('content-type')).to.equal('text/css; charset=utf-8');
    expect(await (await service.fetch('/demo/config.json')).json()).to.deep.equal({ apiKey: 'pub_demo' });
    await expectError(await service.fetch('/demo/..%2f..%2fkeys.json'), 404);
  });

  it('returns 404 for the demo when it is off', async () => {
    const other = await startService();
    try {
      for (const path of ['/', '/demo/index.html', '/demo/config.json'])
        await expectError(await other.fetch(path), 404);
    } finally {
      await other.close();
    }
  });

  it('serves the script, compressed if the client accepts that', async () => {
    const response = await service.fetch('/sdk/adsdk.js', { headers: { 'accept-encoding': 'br' } });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    expect(response.headers.get('content-encoding')).to.equal('br');
    expect(response.headers.get('vary')).to.equal('Accept-Encoding');
    const plain = await service.fetch('/sdk/adsdk.js', { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(plain.headers.get('etag')).to.not.equal(response.headers.get('etag'));
    expect(await plain.text()).to.equal(await response.text());
    expect((await service.fetch('/sdk/adsdk.mjs')).headers.get('content-type')).to.equal(
      'text/javascript; charset=utf-8',
    );
  });

  it('serves the unchanging copy of the script with its published integrity value', async () => {
    const { file, integrity } = (await (await service.fetch('/sdk/integrity.json')).json()) as Record<string, string>;
    const response = await service.fetch(`/sdk/${file}`);
    expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    const digest = await crypto.subtle.digest('SHA-384', await response.arrayBuffer());
    expect(`sha384-${Buffer.from(digest).toString('base64')}`).to.equal(integrity);
  });

  it('serves a pinned script of an earlier release from DATA_DIR, compressed too, and nothing else from there', async () => {
    const kept = join(service.dataDir, 'sdk');
    mkdirSync(kept);
    const file = `adsdk.${'0'.repeat(16)}.js`;
    for (const [name, content] of [
      [file, 'earlier()'],
      [`${file}.gz`, gzipSync('earlier()')],
      ['other.js', 'other()'],
    ] as const) {
      writeFileSync(join(kept, name), content);
    }
    for (const encoding of ['identity', 'gzip']) {
      const response = await service.fetch(`/sdk/${file}`, { headers: { 'accept-encoding': encoding } });
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-encoding')).to.equal(encoding === 'gzip' ? 'gzip' : null);
      expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
      expect(response.headers.get('access-control-allow-origin')).to.equal('*');
      expect(await response.text()).to.equal('earlier()');
    }
    await expectError(await service.fetch('/sdk/other.js'), 404);
    await expectError(await service.fetch(`/sdk/adsdk.${'1'.repeat(16)}.js`), 404);
  });

  it('has integrity.json revalidated each time, and adsdk.js after five minutes', async () => {
    const cacheControlOf = async (file: string) => (await service.fetch(`/sdk/${file}`)).headers.get('cache-control');
    expect(await cacheControlOf('integrity.json')).to.equal('no-cache');
    expect(await cacheControlOf('adsdk.js')).to.equal('public, max-age=300, stale-while-revalidate=86400');
  });

  it('returns 404 {error} for other files beside the script', async () => {
    for (const file of ['..%2f..%2fpackage.json', 'nothing.js', 'adsdk.js.br'])
      await expectError(await service.fetch(`/sdk/${file}`), 404);
  });

  it('serves healthz, and readyz with the reasons for not being ready', async () => {
    expect(await (await service.fetch('/healthz')).json()).to.deep.equal({ status: 'ok' });
    expect(await (await service.fetch('/readyz')).json()).to.deep.equal({ status: 'ready' });
    const readiness = [
      { name: 'catalogue', fault: () => 'none is published yet' },
      { name: 'disk', fault: () => null },
    ];
    const other = await startService({ readiness });
    try {
      const response = await other.fetch('/readyz');
      expect(response.status).to.equal(503);
      expect(await response.json()).to.deep.equal({ error: 'catalogue: none is published yet' });
      const misspelt = await other.fetch('/readyz?for=matches');
      expect(misspelt.status).to.equal(400);
      expect(await misspelt.json()).to.deep.equal({ error: 'for must be traffic, or absent' });
    } finally {
      await other.close();
    }
  });

  it('serves readyz for traffic, which only what matches need makes fail', async () => {
    let failing = ['ledger', 'database', 'disk', 'clock'];
    const names = ['server', 'catalogue', 'encoder', ...failing];
    const readiness = names.map((name) => ({ name, fault: () => (failing.includes(name) ? 'it fails' : null) }));
    const other = await startService({ readiness });
    try {
      expect((await other.fetch('/readyz')).status).to.equal(503);
      const response = await other.fetch('/readyz?for=traffic');
      expect(response.status).to.equal(200);
      expect(await response.json()).to.deep.equal({ status: 'ready' });
      for (const name of ['server', 'catalogue', 'encoder']) {
        failing = [name, 'disk'];
        const refusal = await other.fetch('/readyz?for=traffic');
        expect(refusal.status, name).to.equal(503);
        expect(await refusal.json()).to.deep.equal({ error: `${name}: it fails` });
      }
    } finally {
      await other.close();
    }
  });

  it('labels metrics by route, never by URL', async () => {
    await service.api('/target/boots-1');
    const page = await (await service.fetch('/metrics')).text();
    expect(page).to.include(
      `adjacent_request_seconds_count{method="GET",route="${API}/target/:creativeId",status="302"}`,
    );
    expect(page).to.include(
      'adjacent_encoder_queue{waiting="requests"} 3\nadjacent_encoder_queue{waiting="texts"} 5\n',
    );
    expect(page).to.not.include('boots-1');
  });
});

describe('the headers of proxies', () => {
  const addressLogged = async (trustProxy: number) => {
    const service = await startService({ trustProxy });
    try {
      await service.fetch('/healthz', { headers: { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' } });
      return service.logged.find(({ route }) => route === '/healthz')?.['ip'];
    } finally {
      await service.close();
    }
  };

  it('are trusted for as many proxies as TRUST_PROXY says', async () => {
    expect(await addressLogged(0)).to.equal('127.0.0.1');
    expect(await addressLogged(1)).to.equal('198.51.100.7');
    expect(await addressLogged(2)).to.equal('203.0.113.9');
  });
});

describe('a base URL with a path', () => {
  let service: Service;
  before(async () => void (service = await startService({ path: '/ads' })));
  after(() => service.close());

  it('is the prefix of every URL of an ad, and these URLs work', async () => {
    const ad = (await (await service.match({ context: 'x' })).json()) as Record<string, string>;
    expect(ad['impressionUrl']).to.match(/^http:\/\/127\.0\.0\.1:\d+\/ads\/api\/v1\/public\/creatives\/beacon\?/);
    expect((await fetch(ad['impressionUrl'] ?? '')).status).to.equal(200);
    expect((await fetch(ad['targetUrl'] ?? '', { redirect: 'manual' })).status).to.equal(302);
  });

  it('redirects to a trailing slash, so that the page finds its files', async () => {
    const response = await service.fetch('');
    expect([response.status, response.headers.get('location')]).to.deep.equal([302, '/ads/']);
  });

  it('also works when a proxy removes the path', async () => {
    const { origin } = new URL(service.baseUrl);
    expect((await fetch(`${origin}/healthz`)).status).to.equal(200);
    expect((await fetch(`${origin}/adsense`)).status).to.equal(404);
  });

  it('may begin like a path of the API, whether or not a proxy removes it', async () => {
    const below = await startService({ path: '/api' });
    const { pathname, origin } = new URL(((await (await below.match({ context: 'x' })).json()) as Ad).impressionUrl);
    expect(pathname).to.equal('/api/api/v1/public/creatives/beacon');
    for (const path of [pathname, pathname.slice('/api'.length)])
      expect((await fetch(origin + path)).status, path).to.equal(200);
    await below.close();
  });
});
