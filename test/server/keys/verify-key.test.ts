import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { ineligibility } from '../../../server/decide/eligibility.js';
import { createKey, buildKey } from '../../../server/keys/key-operations.js';
import { keyStore, publisherNames, type KeyFile } from '../../../server/keys/key-file.js';
import { generateKey, isKeyShaped } from '../../../server/keys/key.js';
import { createKeyVerifier, openKeys } from '../../../server/keys/verify-key.js';
import { eventually } from '../../support/eventually.js';
import { testCreative } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const wishes = { publisher: 'Garden', test: false, origins: [], requestsPerMinute: null, expiresAt: null };

describe('a presented key', () => {
  let file: KeyFile;
  beforeEach(() => void (file = { version: 1, publishers: [], keys: [] }));
  const check = (key: string | undefined, origin?: string, now = NOW) => createKeyVerifier(file)(key, origin, now);

  it('is live with its publisher’s settings and its own limits', () => {
    const { key, stored } = createKey(file, { ...wishes, test: true, requestsPerMinute: 9 }, NOW);
    file.publishers[0]!.floor = 0.7;
    expect(check(key)).to.deep.equal({
      valid: true,
      keyId: stored.id,
      mode: 'server',
      publisher: { ...file.publishers[0]!, test: true },
      requestsPerMinute: 9,
    });
    file.publishers.pop();
    expect(check(key)).to.deep.include({ valid: true }).with.nested.property('publisher.floor', null);
  });

  it('is refused with the reason', () => {
    const { key, stored } = createKey(file, { ...wishes, expiresAt: NOW + 1 }, NOW);
    const fault = (of: string | undefined, now = NOW) => {
      const checked = check(of, undefined, now);
      return checked.valid ? null : checked.fault;
    };
    expect(fault(undefined)).to.equal('missing');
    expect(fault('')).to.equal('missing');
    expect(fault(`${key.slice(0, -1)}-`)).to.equal('malformed');
    expect(fault(generateKey())).to.equal('unknown');
    expect(fault(key)).to.equal(null);
    expect(fault(key, NOW + 1)).to.equal('expired');
    stored.deactivatedAt = new Date(NOW).toISOString();
    expect(fault(key)).to.equal('deactivated');
  });

  it('is live only for its origins, in any case', () => {
    const { key } = createKey(file, { ...wishes, origins: ['https://a.example', 'https://b.example'] }, NOW);
    expect(check(key, 'https://B.example').valid).to.equal(true);
    for (const origin of ['https://c.example', undefined])
      expect(check(key, origin)).to.deep.equal({ valid: false, fault: 'wrong-origin' });
    expect(check(createKey(file, wishes, NOW).key, 'https://c.example').valid).to.equal(true);
  });

  it('has 36 characters after pub_, the last six derived from the others', () => {
    const secret = '0'.repeat(30);
    // CRC-32 of the secret in base 62, computed independently of this code.
    expect(isKeyShaped(`pub_${secret}2C8GjS`)).to.equal(true);
    expect(isKeyShaped(`pub_${secret}000000`)).to.equal(false);
    const keys = new Set(Array.from({ length: 50 }, generateKey));
    expect(keys.size).to.equal(50);
    for (const key of keys) {
      expect(key).to.match(/^pub_[0-9A-Za-z]{36}$/);
      expect(isKeyShaped(key)).to.equal(true);
      expect(isKeyShaped(`${key} `)).to.equal(false);
    }
  });
});

describe('the key file', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));
  const log = { info: () => undefined, error: () => undefined };

  it('contains no key, id or publisher twice', async () => {
    const store = keyStore(dataDir);
    const one = buildKey(wishes, NOW).stored;
    const other = buildKey(wishes, NOW).stored;
    const publisher = { name: 'Garden', floor: null, blockedCategories: [], blockedAdvertisers: [], allowedTopics: [] };
    const write = (content: object) =>
      writeFileSync(store.path, JSON.stringify({ version: 1, publishers: [], keys: [], ...content }));
    const refusal = async (content: object): Promise<string> => {
      write(content);
      return store.read().then(
        () => 'read',
        (error: Error) => error.message,
      );
    };
    expect(await refusal({ keys: [one, other], publishers: [publisher, { ...publisher, name: 'Travel' }] })).to.equal(
      'read',
    );
    expect(await refusal({ keys: [one, { ...other, id: one.id }] })).to.include(`${one.id} appears twice in the keys`);
    expect(await refusal({ keys: [one, { ...other, sha256: one.sha256 }] })).to.include('appears twice in the keys');
    expect(await refusal({ publishers: [publisher, publisher] })).to.include('Garden appears twice in the publishers');
    expect(await refusal({ keys: [{ ...one, id: 'key' }] })).to.include('cannot be used');
  });

  it('blocks names normalized like those of feeds, whatever blanks and spelling the file has, and can still be changed', async () => {
    const store = keyStore(dataDir);
    const garden = { name: 'Garden', floor: null, allowedTopics: [] };
    const blocked = { blockedCategories: [' Gambling ', ' '], blockedAdvertisers: ['Cafe\u0301\u00a0'] };
    writeFileSync(store.path, JSON.stringify({ version: 1, publishers: [{ ...garden, ...blocked }], keys: [] }));
    const { key } = await store.change((file) => createKey(file, wishes, NOW));
    const file = await store.read();
    expect(file.publishers[0]).to.deep.include({ blockedCategories: ['Gambling'], blockedAdvertisers: ['Caf\u00e9'] });
    const checked = createKeyVerifier(file)(key, undefined, NOW);
    if (!checked.valid) throw new Error(checked.fault);
    const requester = { publisher: checked.publisher, session: undefined, language: null, now: NOW };
    const fault = (changes: { categories?: string[]; advertiser?: string }) =>
      ineligibility(testCreative('a', changes), requester);
    expect(fault({ categories: ['gambling'] })).to.equal('blocked-category');
    expect(fault({ advertiser: 'CAF\u00c9' })).to.equal('blocked-advertiser');
    expect(fault({ categories: ['Gardens'], advertiser: 'Cafeteria' })).to.equal(null);
  });

  it('names every publisher once', () => {
    const file: KeyFile = { version: 1, publishers: [], keys: [] };
    for (const publisher of ['Garden', 'Travel', 'Garden']) createKey(file, { ...wishes, publisher }, NOW);
    file.publishers = file.publishers.filter(({ name }) => name === 'Travel');
    expect(publisherNames(file)).to.deep.equal(['Travel', 'Garden']);
  });

  it('is checked by the given clock, together with keys in memory', async () => {
    let now = NOW;
    const memory = buildKey({ ...wishes, publisher: 'Demo' }, NOW);
    const store = keyStore(dataDir);
    const { key } = await store.change((file) => createKey(file, { ...wishes, expiresAt: NOW + 1 }, NOW));
    const keys = await openKeys({ store, inMemory: [memory.stored], clock: () => now, log });
    try {
      expect([key, memory.key].map((each) => keys.check(each, undefined).valid)).to.deep.equal([true, true]);
      now++;
      expect([key, memory.key].map((each) => keys.check(each, undefined).valid)).to.deep.equal([false, true]);
    } finally {
      await keys.close();
    }
  });

  it('is no longer followed once closed', async () => {
    const store = keyStore(dataDir);
    const options = { store, clock: () => NOW, log, pollMs: 1 };
    const [closed, open] = [await openKeys(options), await openKeys(options)];
    await closed.close();
    try {
      const first = await store.change((file) => createKey(file, wishes, NOW));
      await eventually(() => expect(open.check(first.key, undefined).valid).to.equal(true));
      const second = await store.change((file) => createKey(file, wishes, NOW));
      await eventually(() => expect(open.check(second.key, undefined).valid).to.equal(true));
      expect(closed.check(first.key, undefined).valid).to.equal(false);
    } finally {
      await open.close();
    }
  });
});
