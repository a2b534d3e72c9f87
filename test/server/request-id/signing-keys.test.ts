import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSigningKeys } from '../../../server/request-id/signing-key-file.js';
import { parseSigningKeys, SigningKeysError } from '../../../server/domain/secrets.js';

const DAY = 86_400_000;
const now = Date.UTC(2026, 10, 21);

describe('stored signing keys', () => {
  let dataDir: string;
  let file: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'adjacent-keys-'));
    file = join(dataDir, 'signing-keys.json');
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const idsAt = async (moment: number): Promise<string[]> =>
    (await openSigningKeys(dataDir, moment, 30 * DAY)).map((key) => key.id);

  it('are made at the first start, for the owner only, and found again', async () => {
    const first = await idsAt(now);
    expect(first).to.have.length(1);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(await idsAt(now + DAY)).to.deep.equal(first);
    expect(readdirSync(dataDir)).to.deep.equal(['signing-keys.json']);
  });

  it('are replaced after 30 days of issuing; the retired one verifies for the click window, then is forgotten', async () => {
    const [old] = await idsAt(now);
    expect(await idsAt(now + 30 * DAY)).to.deep.equal([old]);
    const rotated = await idsAt(now + 31 * DAY);
    expect(rotated).to.have.length(2);
    expect(rotated[0]).not.to.equal(old);
    expect(rotated[1]).to.equal(old);
    expect(await idsAt(now + 61 * DAY)).to.include(old);
    expect(await idsAt(now + 61 * DAY + 1)).not.to.include(old);
    expect(readFileSync(file, 'utf8').match(/"secret"/g)).to.have.length(2);
  });

  it('are the same for starts at the same time', async () => {
    const starts = await Promise.all(Array.from({ length: 5 }, () => idsAt(now)));
    expect(new Set(starts.flat()).size).to.equal(1);
  });

  it('are never replaced silently when the file is damaged', async () => {
    await idsAt(now);
    const whole = readFileSync(file, 'utf8');
    for (const damaged of [
      '',
      '{',
      '[]',
      '{"keys":[{}]}',
      whole.slice(0, -20),
      whole.replace('"createdAt": "', '"createdAt": "x'),
    ]) {
      writeFileSync(file, damaged);
      const refusal = await idsAt(now).catch((error: unknown) => error);
      expect(refusal, damaged).to.be.instanceOf(SigningKeysError);
      expect(String(refusal)).to.include('signing-keys.json is damaged');
      expect(readFileSync(file, 'utf8')).to.equal(damaged);
    }
  });
});

describe('SIGNING_KEYS', () => {
  const secret = randomBytes(32);

  it('takes secrets in either base64, separated by commas or blanks, the first of which issues', () => {
    const other = randomBytes(32);
    const keys = parseSigningKeys(` ${secret.toString('base64url')},\n${other.toString('base64')} `);
    expect(keys.map((key) => key.secret)).to.deep.equal([secret, other]);
  });

  it('names the key that is wrong, without showing it', () => {
    const short = randomBytes(31).toString('base64');
    expect(() => parseSigningKeys(`${secret.toString('base64')} ${short}`))
      .to.throw(SigningKeysError, 'SIGNING_KEYS: key 2 is not 32 bytes in base64')
      .with.property('message')
      .that.does.not.include(short);
    expect(() => parseSigningKeys(' , ')).to.throw(SigningKeysError, 'holds no key');
    const twice = `${secret.toString('base64')},${secret.toString('base64url')}`;
    expect(() => parseSigningKeys(twice)).to.throw(SigningKeysError, 'the same key twice');
  });
});
