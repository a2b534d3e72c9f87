import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { runCommand } from '../../../../platform/command-line/run-command.js';
import { DAY } from '../../../../platform/time/durations.js';
import { signingKeys as command } from '../../../../server/commands/signing-keys/command.js';
import { createRequestIds } from '../../../../server/request-id/request-ids.js';
import { followSigningKeys } from '../../../../server/request-id/signing-key-file.js';
import { eventually } from '../../../support/eventually.js';
import { testClaims } from '../../../support/test-claims.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

describe('npm run signing-keys', () => {
  let dataDir: string;
  const environment = { ...process.env };
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => {
    process.env = { ...environment };
    rmSync(dataDir, { recursive: true });
  });

  const run = async (...args: string[]) => {
    let [out, err] = ['', ''];
    const code = await runCommand(command, [...args, '--data-dir', dataDir], {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
    });
    return { code, out, err };
  };
  type Listed = { installation: string | null; keys: Record<string, string | null>[] };
  const listed = async () => JSON.parse((await run('list', '--json')).out) as Listed;
  const secrets = () => {
    const { keys } = JSON.parse(readFileSync(join(dataDir, 'signing-keys.json'), 'utf8')) as {
      keys: { secret: string }[];
    };
    return keys.map(({ secret }) => secret);
  };

  it('rotate takes effect on a running server, where ids issued before still verify', async () => {
    const log = pino({ level: 'silent' });
    const options = { dataDir, windowMs: 30 * DAY, clock: Date.now, log, pollMs: 10 };
    const keys = await followSigningKeys(options);
    try {
      const ids = createRequestIds(keys);
      const claims = testClaims({ issuedAt: Date.now() });
      const before = ids.issue(claims);
      const { code, out } = await run('rotate');
      expect(code).to.equal(0);
      await eventually(() => expect(out.startsWith(keys.current.issuing.id)).to.equal(true));
      expect([ids.verify(before).valid, ids.verify(ids.issue(claims)).valid]).to.deep.equal([true, true]);
      const { installation, keys: rows } = await listed();
      expect(installation).to.equal(keys.current.installation);
      expect(rows.map(({ id, use }) => [id, use])).to.deep.equal(
        keys.current.keys.map(({ id }, at) => [id, at === 0 ? 'issues' : 'verifies']),
      );
    } finally {
      await keys.close();
    }
  });

  it('list shows which keys issue, which verify and until when, and no secret', async () => {
    expect((await run('list')).out).to.include('no signing keys yet');
    await run('rotate');
    await run('rotate');
    const [issuing, retired] = (await listed()).keys;
    expect(issuing).to.include({ use: 'issues', source: 'stored', retiredAt: null, verifiesUntil: null });
    expect(Date.parse(retired!['verifiesUntil']!) - Date.parse(retired!['retiredAt']!)).to.equal(30 * DAY);
    for (const { out } of [await run('list'), await run('list', '--json')]) {
      expect(out).to.include(issuing!['id']).and.include(retired!['id']);
      for (const secret of secrets()) expect(out).not.to.include(secret);
    }
  });

  it('keeps a retired key for the longer of the impression and the click window', async () => {
    process.env['CLICK_DAYS'] = '1';
    process.env['IMPRESSION_HOURS'] = '720';
    await run('rotate');
    await run('rotate');
    const [, retired] = (await listed()).keys;
    expect(Date.parse(retired!['verifiesUntil']!) - Date.parse(retired!['retiredAt']!)).to.equal(30 * DAY);
  });

  it('lists keys of SIGNING_KEYS as the issuing ones, and does not rotate stored keys beside them', async () => {
    await run('rotate');
    const [stored] = (await listed()).keys;
    process.env['SIGNING_KEYS'] = [1, 2].map(() => randomBytes(32).toString('base64')).join();
    expect((await listed()).keys.map(({ source, use }) => [source, use])).to.deep.equal([
      ['SIGNING_KEYS', 'issues'],
      ['SIGNING_KEYS', 'verifies'],
      ['stored', 'verifies'],
    ]);
    const { code, err } = await run('rotate');
    expect([code, err]).to.deep.equal([
      1,
      'SIGNING_KEYS is set, so stored keys do not issue: put a new key first in that setting\n',
    ]);
    expect((await listed()).keys.at(-1)!['id']).to.equal(stored!['id']);
  });

  it('drop removes a key at once, but not the issuing one', async () => {
    await run('rotate');
    await run('rotate');
    const [issuing, retired] = (await listed()).keys.map(({ id }) => id!);
    const refused = await run('drop', issuing!);
    expect([refused.code, refused.err]).to.deep.equal([1, `${issuing} is the issuing key: rotate first\n`]);
    expect((await run('drop', retired!)).out).to.include(`${retired} is dropped`);
    expect((await listed()).keys.map(({ id }) => id)).to.deep.equal([issuing]);
    expect((await run('drop', retired!)).err).to.include(`there is no key ${retired}`);
  });

  it('refuses unknown arguments', async () => {
    for (const args of [['drop'], [], ['rotate', 'now']]) expect((await run(...args)).code).to.equal(2);
  });
});
