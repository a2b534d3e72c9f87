import { expect } from 'chai';
import { generateKey } from '../../../server/keys/key.js';
import { deactivateKey } from '../../../server/keys/key-operations.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { eventually } from '../../support/eventually.js';
import { startService, type Service } from './service.js';

describe('keys over HTTP', () => {
  let service: Service;
  let now = Date.now();
  before(async () => void (service = await startService({ clock: () => now })));
  after(() => service.close());
  beforeEach(() => void (now = Date.now()));

  const ask = (key: string | undefined, headers: Record<string, string> = {}) =>
    service.api('/match', {
      method: 'POST',
      headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...headers },
      body: '{"context":"x"}',
    });
  const expectUnauthorized = async (response: Response) => {
    expect(response.status).to.equal(401);
    expect(await response.json()).to.have.all.keys('error');
  };
  const expectAccepted = (key: string, headers?: Record<string, string>) =>
    eventually(async () => expect((await ask(key, headers)).status).to.equal(200));

  it('returns 401 without a key', async () => expectUnauthorized(await ask(undefined)));
  it('returns 401 for a key of the wrong form', async () => expectUnauthorized(await ask('pub_short')));
  it('returns 401 for a key that was never created', async () => expectUnauthorized(await ask(generateKey())));
  it('returns 401 for a key with a wrong letter', async () =>
    expectUnauthorized(await ask(service.key.slice(0, -1) + (service.key.endsWith('a') ? 'b' : 'a'))));
  it('returns 401 before it reads the body', async () =>
    expectUnauthorized(await service.api('/match', { method: 'POST', body: 'not JSON' })));

  it('accepts a new key while running, and refuses it once deactivated', async () => {
    const key = await service.storeNewKey({ publisher: 'Später' });
    await expectAccepted(key);
    await keyStore(service.dataDir).change((file) => {
      deactivateKey(file, file.keys.at(-1)?.id ?? '', now - 1);
    });
    await eventually(async () => expect((await ask(key)).status).to.equal(401));
    await expectUnauthorized(await ask(key));
  });

  it('returns 401 from the moment a key expires', async () => {
    const key = await service.storeNewKey({ expiresAt: now + 60_000 });
    await expectAccepted(key);
    now += 59_999;
    expect((await ask(key)).status).to.equal(200);
    now += 1;
    await expectUnauthorized(await ask(key));
  });

  it('returns 401 for an origin that the key does not allow, and without an origin', async () => {
    const key = await service.storeNewKey({ origins: ['https://chat.example'] });
    await expectAccepted(key, { origin: 'https://chat.example' });
    await expectUnauthorized(await ask(key, { origin: 'https://other.example' }));
    await expectUnauthorized(await ask(key));
  });

  it('reports a wrong origin, and no other fault of a key', async () => {
    const key = await service.storeNewKey({ origins: ['https://chat.example'] });
    await expectAccepted(key, { origin: 'https://chat.example' });
    const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;
    expect(await errorOf(await ask(key, { origin: 'https://other.example' }))).to.match(/does not work on the origin/);
    expect(await errorOf(await ask(key))).to.match(/certain origins only, and the request names none/);
    expect(await errorOf(await ask(generateKey()))).to.equal('the API key is invalid or expired');
  });

  it('distinguishes the faults of keys in the metrics only', async () => {
    const before = await service.metric('adjacent_key_faults_total{fault="unknown"}');
    const unknown = await (await ask(generateKey())).json();
    const malformed = await (await ask('pub_no')).json();
    expect(unknown).to.deep.equal(malformed);
    expect(await service.metric('adjacent_key_faults_total{fault="unknown"}')).to.equal(before + 1);
  });

  it("returns 429 with Retry-After above a key's requests per minute, and serves again afterwards", async () => {
    const key = await service.storeNewKey({ requestsPerMinute: 2 });
    await eventually(async () => expect((await ask(key)).status).to.not.equal(401));
    await ask(key);
    const response = await ask(key);
    expect(response.status).to.equal(429);
    expect(await response.json()).to.have.all.keys('error');
    const wait = Number(response.headers.get('retry-after'));
    expect(wait).to.be.within(1, 60);
    now += wait * 1000;
    expect((await ask(key)).status).to.equal(200);
  });

  it("counts only complete requests against a key's limit", async () => {
    const key = await service.storeNewKey({ requestsPerMinute: 2 });
    await expectAccepted(key);
    const junk = { method: 'POST', headers: { 'x-api-key': key }, body: '{"context": 7}' };
    for (let number = 0; number < 10; number++) expect((await service.api('/match', junk)).status).to.equal(400);
    expect((await ask(key)).status).to.equal(200);
    expect((await ask(key)).status).to.equal(429);
  });

  for (const path of ['/beacon', '/target/boots-1']) {
    it(`neither requires nor checks a key on ${path}`, async () => {
      expect((await service.api(path, { headers: { 'x-api-key': 'nonsense' } })).status).to.be.oneOf([200, 302]);
    });
  }
});
