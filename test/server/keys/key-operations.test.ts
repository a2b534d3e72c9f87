import { expect } from 'chai';
import {
  createKey,
  deactivateKey,
  KeyChangeError,
  rotateKey,
  setPublisher,
} from '../../../server/keys/key-operations.js';
import { keyState, type KeyFile } from '../../../server/keys/key-file.js';
import { keyDigest } from '../../../server/keys/key.js';
import { HOUR } from '../../../platform/time/durations.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const at = (ms: number): string => new Date(ms).toISOString();
const wishes = { publisher: 'Garden', test: false, origins: [], requestsPerMinute: null, expiresAt: null };

describe('changes of publishers’ keys', () => {
  let file: KeyFile;
  beforeEach(() => void (file = { version: 1, publishers: [], keys: [] }));

  it('create a key with the given properties, stored as a digest', () => {
    const wanted = {
      ...wishes,
      test: true,
      origins: ['https://a.example'],
      requestsPerMinute: 60,
      expiresAt: NOW + HOUR,
    };
    const { key, stored } = createKey(file, wanted, NOW);
    expect(file.keys).to.deep.equal([stored]);
    expect(stored).to.deep.include({
      publisher: 'Garden',
      sha256: keyDigest(key),
      test: true,
      origins: ['https://a.example'],
      requestsPerMinute: 60,
      createdAt: at(NOW),
      expiresAt: at(NOW + HOUR),
      deactivatedAt: null,
    });
    expect(stored.id).to.match(/^key_\w{10}$/);
    expect(createKey(file, wishes, NOW).stored.expiresAt).to.equal(null);
  });

  it('add a publisher only with its first key', () => {
    for (const publisher of ['Garden', 'Garden', 'Travel']) createKey(file, { ...wishes, publisher }, NOW);
    expect(file.publishers.map(({ name }) => name)).to.deep.equal(['Garden', 'Travel']);
    expect(file.keys).to.have.length(3);
  });

  it('rotate a key: the new one has its rights, the old one the overlap', () => {
    const wanted = { ...wishes, origins: ['https://a.example'], requestsPerMinute: 7 };
    const { stored } = createKey(file, wanted, NOW - HOUR);
    const rotated = rotateKey(file, stored.id, 2 * HOUR, NOW).stored;
    expect(rotated).to.deep.include({ ...wanted, createdAt: at(NOW), deactivatedAt: null });
    expect(rotated.id).to.not.equal(stored.id);
    expect(stored.expiresAt).to.equal(at(NOW + 2 * HOUR));
    expect(file.keys).to.deep.equal([stored, rotated]);
  });

  it('rotate a key only once: the error names its successor, and nothing is created', () => {
    const { stored } = createKey(file, { ...wishes, expiresAt: NOW + 9 * HOUR }, NOW);
    const next = rotateKey(file, stored.id, HOUR, NOW).stored;
    const before = structuredClone(file);
    expect(() => rotateKey(file, stored.id, HOUR, NOW + 1)).to.throw(
      KeyChangeError,
      `${stored.id} was rotated already; rotate ${next.id}, or create a new key`,
    );
    expect(file).to.deep.equal(before);
    // With the expiry of the first key, not with the end of its overlap.
    expect(rotateKey(file, next.id, HOUR, NOW + 1).stored.expiresAt).to.equal(at(NOW + 9 * HOUR));
  });

  it('rotate a key with its mode, even if it has origins and predates the browser default', () => {
    const old = createKey(file, { ...wishes, origins: ['https://a.example'] }, NOW).stored;
    expect(rotateKey(file, old.id, 0, NOW).stored).to.not.have.property('mode');
    const browsers = createKey(file, { ...wishes, mode: 'browser' }, NOW).stored;
    expect(rotateKey(file, browsers.id, 0, NOW).stored).to.include({ mode: 'browser' });
  });

  it('never extend a rotated key, and give its successor the same expiry', () => {
    const { stored } = createKey(file, { ...wishes, expiresAt: NOW + HOUR }, NOW);
    const rotated = rotateKey(file, stored.id, 2 * HOUR, NOW).stored;
    expect([stored.expiresAt, rotated.expiresAt]).to.deep.equal([at(NOW + HOUR), at(NOW + HOUR)]);
  });

  it('refuse to rotate a key that has expired (from its last moment on), is deactivated or does not exist', () => {
    const { stored } = createKey(file, { ...wishes, expiresAt: NOW }, NOW - HOUR);
    expect(() => rotateKey(file, stored.id, 0, NOW)).to.throw(KeyChangeError, `${stored.id} has expired`);
    expect(() => rotateKey(file, stored.id, 0, NOW - 1)).to.not.throw();
    const other = createKey(file, wishes, NOW).stored;
    deactivateKey(file, other.id, NOW);
    expect(() => rotateKey(file, other.id, 0, NOW)).to.throw(KeyChangeError, `${other.id} is deactivated`);
    expect(() => rotateKey(file, 'key_none', 0, NOW)).to.throw(KeyChangeError, 'there is no key key_none');
  });

  it('deactivate a key once: the first moment stays', () => {
    const { stored } = createKey(file, wishes, NOW);
    expect(deactivateKey(file, stored.id, NOW + 1)).to.equal(stored);
    deactivateKey(file, stored.id, NOW + 2);
    expect(stored.deactivatedAt).to.equal(at(NOW + 1));
    expect(() => deactivateKey(file, 'key_none', NOW)).to.throw(KeyChangeError, 'there is no key key_none');
  });

  it("set a publisher's settings, whether it is known by settings or by a key only", () => {
    createKey(file, wishes, NOW);
    const added = createKey(file, { ...wishes, publisher: 'Travel' }, NOW);
    expect(setPublisher(file, 'Garden', { floor: 0.5 })).to.equal(file.publishers[0]);
    setPublisher(file, 'Garden', { blockedCategories: ['Loans'] });
    expect(file.publishers[0]).to.deep.include({ name: 'Garden', floor: 0.5, blockedCategories: ['Loans'] });
    file.publishers.pop();
    expect(setPublisher(file, added.stored.publisher, { floor: 0.9 })).to.deep.equal({
      name: 'Travel',
      floor: 0.9,
      blockedCategories: [],
      blockedAdvertisers: [],
      allowedTopics: [],
    });
    expect(file.publishers.map(({ name }) => name)).to.deep.equal(['Garden', 'Travel']);
    expect(() => setPublisher(file, 'Gardens', {})).to.throw(KeyChangeError, /no publisher "Gardens"; .*Garden/);
  });
});

describe('a key’s state', () => {
  const live = { deactivatedAt: null, expiresAt: null };

  it('changes at exactly the stored moment', () => {
    expect(keyState(live, NOW)).to.equal('active');
    expect(keyState({ ...live, expiresAt: at(NOW) }, NOW - 1)).to.equal('active');
    expect(keyState({ ...live, expiresAt: at(NOW) }, NOW)).to.equal('expired');
    expect(keyState({ ...live, deactivatedAt: at(NOW) }, NOW - 1)).to.equal('active');
    expect(keyState({ ...live, deactivatedAt: at(NOW) }, NOW)).to.equal('deactivated');
  });

  it('is deactivated even if it has also expired', () => {
    expect(keyState({ deactivatedAt: at(NOW), expiresAt: at(NOW) }, NOW)).to.equal('deactivated');
    expect(keyState({ deactivatedAt: at(NOW + 1), expiresAt: at(NOW) }, NOW)).to.equal('expired');
  });
});
