import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import lockfile from 'proper-lockfile';
import { createRequestIds } from '../../../server/request-id/request-ids.js';
import {
  followSigningKeys,
  type FollowOptions,
  type LiveSigningKeys,
  openSigningKeys,
} from '../../../server/request-id/signing-key-file.js';
import { rotatedKeys, signingKeyStore } from '../../../server/request-id/stored-signing-keys.js';
import { parseSigningKeys, SigningKeysError } from '../../../server/domain/signing-key.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { testClaims } from '../../support/test-claims.js';
import { DAY } from '../../../platform/time/durations.js';

const now = Date.UTC(2026, 10, 21);
const givenKeys = () => parseSigningKeys(randomBytes(32).toString('base64'));

describe('stored signing keys', () => {
  let dataDir: string;
  let file: string;
  beforeEach(() => {
    dataDir = temporaryDirectory();
    file = join(dataDir, 'signing-keys.json');
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const idsAt = async (moment: number): Promise<string[]> =>
    (await openSigningKeys(dataDir, moment, 30 * DAY)).current.keys.map((key) => key.id);

  it('are created at the first start, for the owner only, and reused later', async () => {
    const first = await idsAt(now);
    expect(first).to.have.length(1);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(await idsAt(now + DAY)).to.deep.equal(first);
    expect(readdirSync(dataDir)).to.deep.equal(['signing-keys.json']);
  });

  it('are replaced after 30 days of issuing; the retired one verifies for the click window, then is kept as a spare', async () => {
    const [old] = await idsAt(now);
    expect(await idsAt(now + 30 * DAY)).to.deep.equal([old]);
    const rotated = await idsAt(now + 31 * DAY);
    expect(rotated).to.have.length(2);
    expect(rotated[0]).not.to.equal(old);
    expect(rotated[1]).to.equal(old);
    expect(await idsAt(now + 61 * DAY)).to.include(old);
    expect(await idsAt(now + 61 * DAY + 1)).not.to.include(old);
    expect(readFileSync(file, 'utf8').match(/"secret"/g)).to.have.length(3);
    for (const days of [100, 200, 300, 400]) await idsAt(now + days * DAY);
    expect(readFileSync(file, 'utf8').match(/"secret"/g)).to.have.length(4);
  });

  it('are the same for concurrent starts', async () => {
    const starts = await Promise.all(Array.from({ length: 5 }, () => idsAt(now)));
    expect(new Set(starts.flat()).size).to.equal(1);
  });

  it('are read and written under the lock of their file: a start waits for another that creates them', async () => {
    const release = await lockfile.lock(file, { realpath: false });
    const opening = idsAt(now);
    // Without the lock it would have finished by then, with its own key.
    const waited = await Promise.race([opening.then(() => 'opened'), pause(300, 'waits')]);
    const [key] = rotatedKeys([], now);
    writeFileSync(file, JSON.stringify({ keys: [key] }));
    await release();
    expect(waited).to.equal('waits');
    const [id, ...more] = await opening;
    expect(more).to.deep.equal([]);
    expect(id).to.equal(parseSigningKeys(key!.secret)[0].id);
    expect(readFileSync(file, 'utf8')).to.include(key!.secret);
  });

  it('are never silently replaced when the file cannot be read', async () => {
    await idsAt(now);
    const whole = readFileSync(file, 'utf8');
    for (const damaged of [
      '',
      '{',
      '[]',
      '{"keys":[{}]}',
      whole.slice(0, -20),
      whole.replace('"createdAt": "', '"createdAt": "x'),
      whole.replace('"secret": "', '"secret": "x'),
    ]) {
      writeFileSync(file, damaged);
      const refusal = await idsAt(now).catch((error: unknown) => error);
      expect(refusal, damaged).to.be.instanceOf(SigningKeysError);
      expect(String(refusal)).to.include('signing-keys.json is damaged');
      expect(readFileSync(file, 'utf8')).to.equal(damaged);
    }
  });
});

describe('signing keys of a running server', () => {
  const claims = testClaims({ issuedAt: now });
  let folder: string;
  let logged: string;
  let opened: LiveSigningKeys[];
  const log = pino({}, { write: (line: string) => void (logged += line) });
  beforeEach(() => {
    folder = temporaryDirectory();
    [logged, opened] = ['', []];
  });
  afterEach(async () => {
    await Promise.all(opened.map((keys) => keys.close()));
    rmSync(folder, { recursive: true });
  });

  const start = async (options: Partial<FollowOptions> = {}, directory = 'data') => {
    const all = { dataDir: join(folder, directory), windowMs: 30 * DAY, clock: () => now, log, pollMs: 10, ...options };
    const keys = await followSigningKeys(all);
    opened.push(keys);
    return { keys, ids: createRequestIds(keys) };
  };
  const reasonOf = (ids: ReturnType<typeof createRequestIds>, requestId: string): string => {
    const verified = ids.verify(requestId);
    return verified.valid ? 'valid' : verified.reason;
  };

  it('verify ids issued before SIGNING_KEYS was first set, as long as their events count', async () => {
    const before = (await start()).ids.issue(claims);
    const given = givenKeys();
    const after = await start({ given });
    expect(reasonOf(after.ids, before)).to.equal('valid');
    expect(after.keys.current.issuing).to.deep.equal(given[0]);
    expect(reasonOf((await start({ given, clock: () => now + 30 * DAY })).ids, before)).to.equal('valid');
    expect(reasonOf((await start({ given, clock: () => now + 30 * DAY + 1 })).ids, before)).to.equal('invalid');
  });

  it('issue with a stored key, not a retired one, once SIGNING_KEYS is no longer set', async () => {
    const old = (await start()).keys.current.issuing;
    const given = givenKeys();
    await start({ given });
    const { issuing, keys } = (await start()).keys.current;
    expect(issuing.id).not.to.be.oneOf([old.id, given[0].id]);
    expect(keys.map(({ id }) => id)).to.include(old.id);
  });

  it('follow their file: a rotated key issues at once, and earlier ids still verify', async () => {
    const { keys, ids } = await start();
    const [before, old] = [ids.issue(claims), keys.current.issuing.id];
    await signingKeyStore(join(folder, 'data')).change((content) => (content.keys = rotatedKeys(content.keys, now)));
    await eventually(() => expect(keys.current.issuing.id).not.to.equal(old));
    expect([reasonOf(ids, before), reasonOf(ids, ids.issue(claims))]).to.deep.equal(['valid', 'valid']);
  });

  it('rotate automatically after issuing for 30 days, without a restart', async () => {
    let moment = now;
    const { keys, ids } = await start({ clock: () => moment, upkeepMs: 10 });
    const [before, old] = [ids.issue(claims), keys.current.issuing.id];
    moment += 30 * DAY + 1;
    await eventually(() => expect(keys.current.issuing.id).not.to.equal(old));
    expect(reasonOf(ids, before)).to.equal('valid');
  });

  it('are not lost to a clock that is far ahead for a while, nor by a rotation while it is behind', async () => {
    const first = (await start()).ids.issue(claims);
    const second = (await start({ clock: () => now + 31 * DAY })).ids.issue(claims);
    await start({ clock: () => now + 400 * DAY });
    const back = await start({ clock: () => now + 32 * DAY });
    expect([first, second].map((id) => reasonOf(back.ids, id))).to.deep.equal(['valid', 'valid']);

    const third = back.ids.issue(claims);
    await signingKeyStore(join(folder, 'data')).change((file) => (file.keys = rotatedKeys(file.keys, now - 400 * DAY)));
    expect(reasonOf((await start({ clock: () => now + 33 * DAY })).ids, third)).to.equal('valid');
  });

  it('stay in force while their file is damaged or missing', async () => {
    const { keys, ids } = await start({ upkeepMs: 10 });
    const { issuing } = keys.current;
    const file = signingKeyStore(join(folder, 'data')).path;
    writeFileSync(`${file}.new`, '{');
    renameSync(`${file}.new`, file);
    await eventually(() => expect(logged).to.include('signing keys: the file cannot be read'));
    await eventually(() => expect(logged).to.include('signing keys: the file cannot be kept up to date'));
    expect(keys.current.issuing).to.deep.equal(issuing);
    rmSync(file);
    await eventually(() => expect(logged).to.include('signing keys: the file is gone'));
    await pause(50);
    expect(existsSync(file)).to.equal(false);
    expect(reasonOf(ids, ids.issue(claims))).to.equal('valid');
    expect(keys.current.issuing).to.deep.equal(issuing);
  });

  describe('have an installation id', () => {
    const copy = () => cpSync(join(folder, 'data'), join(folder, 'copy'), { recursive: true });

    it('that is the same after a restart; ids of a copy do not count at the original', async () => {
      const original = await start();
      const before = original.ids.issue(claims);
      copy();
      const staging = await start({}, 'copy');
      expect(staging.keys.current.issuing).to.deep.equal(original.keys.current.issuing);
      const made = staging.ids.issue(claims);
      expect(reasonOf(original.ids, made)).to.equal('foreign');
      const restarted = await start();
      expect(reasonOf(restarted.ids, made)).to.equal('foreign');
      expect(restarted.keys.current.installation).to.equal(original.keys.current.installation);
      expect([reasonOf(restarted.ids, before), reasonOf(staging.ids, before)]).to.deep.equal(['valid', 'valid']);
    });

    it('that is new after a move; ads served before still count, later ones under the old id for a day only', async () => {
      const before = await start();
      const [issued, later] = [1, 2].map((days) => before.ids.issue({ ...claims, issuedAt: now + days * DAY }));
      renameSync(join(folder, 'data'), join(folder, 'copy'));
      const moved = await start({}, 'copy');
      expect(moved.keys.current.installation).not.to.equal(before.keys.current.installation);
      expect([issued, later].map((id) => reasonOf(moved.ids, id!))).to.deep.equal(['valid', 'foreign']);
      expect(reasonOf((await start({ clock: () => now + 30 * DAY }, 'copy')).ids, issued!)).to.equal('valid');
    });

    it('that does not change while the server runs, even if the directory’s inode does', async () => {
      const store = signingKeyStore(join(folder, 'data'));
      let moment = now;
      const { ids, keys } = await start({ clock: () => moment, upkeepMs: 10 });
      const { installation, issuing } = keys.current;
      await store.change((file) => (file.installations = file.installations!.map((at) => ({ ...at, place: 'moved' }))));
      moment += 30 * DAY + 1;
      await eventually(() => expect(keys.current.issuing).not.to.deep.equal(issuing));
      const { installations } = JSON.parse(readFileSync(store.path, 'utf8')) as { installations: { id: string }[] };
      expect(installations.map(({ id }) => id)).to.deep.equal([installation]);
      moment += 2 * DAY;
      const late = ids.issue({ ...claims, issuedAt: moment });
      await Promise.all(opened.splice(0).map((each) => each.close()));
      expect(reasonOf((await start({ clock: () => moment })).ids, late)).to.equal('valid');
    });

    it('that is new after a move while the clock is behind; ads served before still count', async () => {
      const issued = (await start()).ids.issue(claims);
      renameSync(join(folder, 'data'), join(folder, 'copy'));
      const moved = await start({ clock: () => now - 3 * DAY }, 'copy');
      expect(reasonOf(moved.ids, issued)).to.equal('valid');
    });

    it('that ids of earlier releases do not carry; they count if served up to a day after the first start', async () => {
      await start();
      const { keys } = await start({ clock: () => now + 10 * DAY });
      expect(keys.current.servedUntil.get('')).to.equal(now + DAY);
    });

    it('that differs between directories that share SIGNING_KEYS, unless INSTALLATION names them', async () => {
      const given = givenKeys();
      const [one, other] = [await start({ given }), await start({ given }, 'copy')];
      expect(reasonOf(other.ids, one.ids.issue(claims))).to.equal('foreign');
      const named = { given, installation: 'Europe' };
      const [first, second] = [await start(named), await start(named, 'copy')];
      expect(reasonOf(second.ids, first.ids.issue(claims))).to.equal('valid');
      expect(reasonOf(first.ids, one.ids.issue(claims))).to.equal('valid');
      expect(reasonOf((await start({ given })).ids, first.ids.issue(claims))).to.equal('valid');
      const elsewhere = await start({ given, installation: 'Asia' }, 'third');
      expect(reasonOf(elsewhere.ids, first.ids.issue(claims))).to.equal('foreign');
    });
  });
});

describe('SIGNING_KEYS', () => {
  const secret = randomBytes(32);

  it('accepts secrets in either base64 alphabet, separated by commas or blanks; the first one issues', () => {
    const other = randomBytes(32);
    const keys = parseSigningKeys(` ${secret.toString('base64url')},\n${other.toString('base64')} `);
    expect(keys.map((key) => key.secret)).to.deep.equal([secret, other]);
  });

  it('names the invalid key without showing it', () => {
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
