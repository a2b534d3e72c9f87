import { expect } from 'chai';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readAudit } from '../../../../models/audit/read-audit.js';
import { runCommand } from '../../../../platform/command-line/run-command.js';
import { access as command } from '../../../../server/commands/access/command.js';
import { defaultSettings, keyStore } from '../../../../server/keys/key-file.js';
import { openCluster } from '../../../../platform/cluster/cluster.js';
import { keyDigest } from '../../../../server/keys/key.js';
import { COMMAND_STORES, commandStore } from '../command-store.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

for (const where of COMMAND_STORES) {
  describe(`npm run access, with ${where}`, () => {
    const store = commandStore(where);
    const access = async (...args: string[]) => {
      const result = await store.run(command, args);
      return { ...result, last: result.out.trimEnd().split('\n').at(-1)! };
    };
    const listed = async () =>
      (JSON.parse((await access('list', '--json')).out) as { tokens: Record<string, unknown>[] }).tokens;

    it('create prints the token alone on the last line, and stores only its digest', async () => {
      const { code, last, out } = await access('create', '--name', ' Anna Berg ');
      expect(code).to.equal(0);
      expect(out).to.match(/^access of Anna Berg as viewer\nThe token is shown only this once:\naccess_\w+\n$/);
      expect(last).to.match(/^access_[0-9A-Za-z]{36}$/);
      const stored = readFileSync(join(store.dataDir, 'access-tokens.json'), 'utf8');
      expect(stored).to.include(keyDigest(last)).and.not.include(last);
      expect(statSync(join(store.dataDir, 'access-tokens.json')).mode & 0o777).to.equal(0o600);
      const { entries } = await readAudit(store.dataDir);
      expect(entries[0]).to.deep.include({ action: 'access create' });
      expect(entries[0]?.fields).to.deep.include({ role: { old: null, new: 'viewer' } });
    });

    it('list shows role, state and last use, without the digest', async () => {
      expect((await access('list')).out).to.equal('no access tokens; npm run access -- create --name NAME makes one\n');
      const { last } = await access('create', '--name', 'Anna', '--role', 'admin', '--expires', '2h');
      const [token, ...others] = await listed();
      expect(others).to.deep.equal([]);
      expect(token).to.include({ name: 'Anna', role: 'admin', state: 'active', lastUsedAt: null });
      for (const { out } of [await access('list'), await access('list', '--json')])
        expect(out).to.include('Anna').and.not.include(keyDigest(last)).and.not.include(last);
      expect((await access('list')).out).to.match(/│ Anna +│ admin +│ +│ active +│ \S+ +│ \S+ +│ never +│/);
    });

    it('create and role say whose figures an advertiser or publisher sees, by a name that is known', async () => {
      const file = { version: 1, publishers: [defaultSettings('Garden Forum')], keys: [] };
      const cluster = store.database && (await openCluster({ url: store.database.url, dataDir: store.dataDir }));
      await keyStore(store.dataDir, cluster).change((keys) => void Object.assign(keys, file));
      await cluster?.close();
      const made = await access('create', '--name', 'Pablo', '--role', 'publisher', '--publisher', 'Garden Forum');
      expect(made.out.split('\n')[0]).to.equal('access of Pablo as publisher Garden Forum');
      expect(await listed()).to.have.deep.nested.property('0.party', 'Garden Forum');
      expect((await access('list')).out).to.match(/│ Pablo +│ publisher +│ Garden Forum +│ active/);
      expect(await access('role', 'Pablo', 'publisher', '--publisher', 'Garden Forun')).to.deep.include({
        code: 1,
        err: 'there is no publisher "Garden Forun"; near it: "Garden Forum"\n',
      });
      expect((await access('role', 'Pablo', 'viewer')).out).to.equal('Pablo has the role viewer\n');
      expect((await listed())[0]).to.not.have.property('party');
    });

    it('role changes the role, and revoke removes the token', async () => {
      await access('create', '--name', 'Anna');
      expect((await access('role', 'Anna', 'admin')).out).to.equal('Anna has the role admin\n');
      expect(await listed()).to.have.nested.property('0.role', 'admin');
      expect((await access('revoke', 'Anna')).code).to.equal(0);
      expect(await listed()).to.deep.equal([]);
      const { entries } = await readAudit(store.dataDir);
      expect(entries.map(({ action }) => action)).to.deep.equal(['access revoke', 'access role', 'access create']);
    });
  });
}

describe('npm run access refuses', () => {
  const dataDir = temporaryDirectory();
  after(() => rmSync(dataDir, { recursive: true }));
  const access = async (...args: string[]) => {
    let err = '';
    const code = await runCommand(command, args.length === 0 ? [] : [...args, '--data-dir', dataDir], {
      out: () => undefined,
      err: (text) => void (err += text),
    });
    return { code, err };
  };

  it('arguments that it does not understand, with 2', async () => {
    for (const [args, message] of [
      [[], 'a command is missing'],
      [['make'], 'make is not a command'],
      [['create'], '--name is missing'],
      [['create', '--name', '\u0007'], '--name must not contain control characters'],
      [['create', '--name', 'Anna', '--role', 'owner'], 'the role must be one of admin, viewer, advertiser'],
      [['create', '--name', 'Anna', '--role', 'advertiser'], '--advertiser is missing'],
      [['create', '--name', 'Anna', '--advertiser', 'A'], '--advertiser is for the role advertiser, not viewer'],
      [['role', 'Anna', 'publisher', '--advertiser', 'A'], '--advertiser is for the role advertiser, not publisher'],
      [['create', '--name', 'Anna', '--expires', 'soon'], '--expires must be'],
      [['create', '--name', 'Anna', '--expires', '2020-01-01'], '--expires is in the past'],
      [['role', 'Anna'], 'the role must be one of'],
      [['revoke'], 'the name is missing'],
    ] as const) {
      const { code, err } = await access(...args);
      expect([code, err.includes(message)], `${args.join(' ')}: ${err}`).to.deep.equal([2, true]);
    }
  });

  it('a name that has a token, in any spelling, and the name of the setting, with 1', async () => {
    await access('create', '--name', 'Anna Berg');
    expect(await access('create', '--name', 'ANNA  BERG')).to.deep.equal({
      code: 1,
      err: '"Anna Berg" has a token; revoke it first\n',
    });
    expect((await access('create', '--name', 'admin_token')).code).to.equal(1);
  });

  it('a name that has no token, with near ones', async () => {
    expect(await access('revoke', 'Anna Bergg')).to.deep.equal({
      code: 1,
      err: 'there is no access token of "Anna Bergg"; near it: "Anna Berg"\n',
    });
  });
});
