import { expect } from 'chai';
import fc from 'fast-check';
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { createRequestIds } from '../../../server/request-id/request-ids.js';
import { packClaims } from '../../../server/request-id/pack-claims.js';
import { createSigningKeySet } from '../../../server/request-id/signing-key-set.js';
import type { Claims } from '../../../server/domain/claims.js';
import { parseSigningKeys, type SigningKey } from '../../../server/domain/signing-key.js';
import { testClaims } from '../../support/test-claims.js';

const secret = (): string => randomBytes(32).toString('base64');
const keysOf = (...secrets: string[]) => parseSigningKeys(secrets.join(','));

const claims = testClaims({ advertiser: 'Green & Söhne', issuedAt: Date.UTC(2026, 10, 21) });

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const anyClaims = fc.record({
  publisher: name,
  creative: name,
  campaign: fc.option(name),
  advertiser: fc.option(name),
  pricing: fc.option(
    fc.record({
      model: fc.constantFrom('cpm' as const, 'cpc' as const),
      micros: fc.integer({ min: 0, max: 1e9 }).map((n) => n * 1000),
    }),
  ),
  issuedAt: fc.integer({ min: 0, max: 2 ** 47 }),
  test: fc.boolean(),
});
/** With or without the fields that only some ads' ids carry. */
const more = fc.constantFrom({}, { browsersOnly: true as const }, { limits: { totalMicros: 5, dailyMicros: null } });

/** A request id in the layout of releases without installations. */
function anonymousId(key: SigningKey, sealed: Claims): string {
  const head = Buffer.concat([Buffer.of(1), Buffer.from(key.id, 'hex')]);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key.secret, iv).setAAD(head);
  return Buffer.concat([head, iv, cipher.update(packClaims(sealed)), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

describe('request ids', () => {
  const ids = createRequestIds(keysOf(secret()));

  it('carry every claim through issue and verification', () => {
    fc.assert(
      fc.property(anyClaims, more, (base, extra) => {
        const any = { ...base, ...extra };
        const verified = ids.verify(ids.issue(any));
        expect(verified).to.deep.include({ valid: true, claims: any });
      }),
    );
  });

  it('are opaque: neither names nor price can be read, and no two are equal', () => {
    const id = ids.issue(claims);
    const bytes = Buffer.from(id, 'base64url');
    expect(id).to.match(/^[\w-]+$/);
    expect(bytes.includes('mower') || bytes.includes('Spring') || bytes.includes('Garden')).to.equal(false);
    expect(ids.issue(claims)).not.to.equal(id);
  });

  it('stay short: under 200 characters for everyday names', () => {
    expect(ids.issue(claims)).to.have.length.below(200);
  });

  it('have as digest the first 16 bytes of their SHA-256', () => {
    const id = ids.issue(claims);
    const whole = createHash('sha256').update(id).digest('hex');
    expect(ids.verify(id)).to.deep.include({ digest: whole.slice(0, 32) });
  });

  it('are invalid after a change of any one bit', () => {
    const bytes = Buffer.from(ids.issue(claims), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
      expect(ids.verify(changed.toString('base64url')), `bit ${bit}`).to.deep.equal({
        valid: false,
        reason: 'invalid',
      });
    }
  });

  it('are invalid after a change of any one character, in any other spelling, and when cut short', () => {
    const id = ids.issue(claims);
    for (let at = 0; at < id.length; at++) {
      for (const other of ['A', 'B', '_', '=', ' ', '+', 'é']) {
        if (id[at] === other) continue;
        expect(ids.verify(id.slice(0, at) + other + id.slice(at + 1)).valid, `${other} at ${at}`).to.equal(false);
      }
      expect(ids.verify(id.slice(0, at)).valid, `cut at ${at}`).to.equal(false);
    }
    for (const spelling of [`${id}=`, `${id}A`, ` ${id}`, `${id}\n`, id + id])
      expect(ids.verify(spelling).valid).to.equal(false);
  });

  it('are reported as missing or invalid, without throwing, whatever the input', () => {
    expect(ids.verify(undefined)).to.deep.equal({ valid: false, reason: 'missing' });
    expect(ids.verify('')).to.deep.equal({ valid: false, reason: 'missing' });
    const odd: unknown[] = [
      '\u0000',
      '\ud800',
      '🙂'.repeat(5000),
      'A'.repeat(5_000_000),
      ['a', 'b'],
      {},
      7,
      null,
      'AQ',
      'AQAAAAA',
    ];
    for (const value of odd) expect(ids.verify(value as string)).to.deep.equal({ valid: false, reason: 'invalid' });
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (any) => !ids.verify(any).valid));
  });

  it('are read up to 8,192 characters, and rejected above', () => {
    const ofBytes = (bytes: number): string => {
      const shortest = Buffer.from(ids.issue(testClaims({ creative: '' })), 'base64url').length;
      return ids.issue(testClaims({ creative: 'x'.repeat(bytes - shortest) }));
    };
    const [longest, longer] = [ofBytes(6144), ofBytes(6145)];
    expect([longest.length, longer.length]).to.deep.equal([8192, 8194]);
    expect([ids.verify(longest).valid, ids.verify(longer).valid]).to.deep.equal([true, false]);
  });

  it('of earlier releases, without an installation, are accepted until a day after this release first started', () => {
    const keys = keysOf(secret());
    const earlier = anonymousId(keys[0], claims);
    expect(createRequestIds(keys).verify(earlier)).to.deep.include({ valid: true, claims });
    const until = (moment: number) =>
      createRequestIds({
        current: createSigningKeySet({ keys, installation: '0a0b0c0d', servedUntil: [['', moment]] }),
      });
    expect(until(claims.issuedAt).verify(earlier).valid).to.equal(true);
    const foreign = { valid: false, reason: 'foreign' };
    expect(until(claims.issuedAt - 1).verify(earlier)).to.deep.equal(foreign);
    const never = createRequestIds({ current: createSigningKeySet({ keys, servedUntil: [] }) });
    expect(never.verify(earlier)).to.deep.equal(foreign);
    // Neither layout is accepted as the other.
    const bytes = Buffer.from(earlier, 'base64url');
    bytes[0] = 2;
    expect(never.verify(bytes.toString('base64url'))).to.deep.equal({ valid: false, reason: 'invalid' });
  });

  it('are read by a server that has the key, and by no other', () => {
    const [old, young] = [secret(), secret()];
    const before = createRequestIds(keysOf(old)).issue(claims);
    const after = createRequestIds(keysOf(young, old)).issue(claims);
    expect(createRequestIds(keysOf(young, old)).verify(before).valid).to.equal(true);
    expect(createRequestIds(keysOf(young)).verify(after).valid).to.equal(true);
    expect(createRequestIds(keysOf(young)).verify(before).valid).to.equal(false);
    expect(createRequestIds(keysOf(old)).verify(after).valid).to.equal(false);
  });
});
