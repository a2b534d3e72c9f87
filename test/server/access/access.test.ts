import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { readAudit } from '../../../models/audit/read-audit.js';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { followCluster } from '../../../platform/cluster/follow.js';
import { type Access, openAccess } from '../../../server/access/access.js';
import { accessStore, type Role } from '../../../server/access/access-file.js';
import { createToken, revokeToken, setRole } from '../../../server/access/access-operations.js';
import { accessChanges, auditedAccess, changeAccess } from '../../../server/access/change-access.js';
import { followEdits } from '../../../server/audit/follow-edits.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const MINUTE = 60_000;
const by = { via: 'command', user: 'anna', host: 'one' } as const;

for (const where of ['a file', 'a database that nodes share'] as const) {
  describe(`access tokens in ${where}`, () => {
    let database: TemporaryDatabase | undefined;
    let clusters: (Cluster | null)[];
    let dataDir: string;
    let access: Access;
    let close: () => Promise<unknown>;
    let now: number;
    let logged: string[];

    beforeEach(async () => {
      now = Date.parse('2026-11-29T12:00:00Z');
      logged = [];
      const log = pino({}, { write: (line: string) => void logged.push(line) });
      database = where === 'a file' ? undefined : await temporaryDatabase();
      dataDir = temporaryDirectory();
      // The first is the server's; commands run on another machine.
      clusters = await Promise.all(
        [dataDir, temporaryDirectory()].map(async (folder) =>
          database === undefined ? null : openCluster({ url: database.url, dataDir: folder }),
        ),
      );
      const [cluster] = clusters;
      const following = cluster ? await followCluster(cluster, { looks: [cluster.refresh], log }) : undefined;
      access = await openAccess({
        store: accessStore(dataDir, cluster),
        adminToken: 'the-token-of-the-setting',
        clock: () => now,
        log,
        pollMs: 20,
      });
      close = async () => {
        await access.close();
        await following?.close();
        for (const each of clusters) await each?.close();
        await database?.drop();
      };
    });
    afterEach(() => close());

    /** The store as commands open it. */
    const store = () => accessStore(clusters[1]?.dataDir ?? dataDir, clusters[1]);
    const audited = (action: string) => ({
      dataDir: clusters[1]?.dataDir ?? dataDir,
      cluster: clusters[1] ?? null,
      by,
      action,
      now,
    });
    const create = async (name: string, role: 'admin' | 'viewer' = 'viewer', expiresAt: number | null = null) => {
      const { token } = await changeAccess(store(), audited('access create'), (file) =>
        createToken(file, { name, role, expiresAt }, now),
      );
      await eventually(() => expect(access.check(token).valid).to.equal(true), 5000);
      return token;
    };
    const operatorOf = (token: string) => {
      const checked = access.check(token);
      return checked.valid ? checked.operator : undefined;
    };

    it('are known by their holders; ADMIN_TOKEN always is an administrator', async () => {
      const [viewer, admin] = [await create('Anna'), await create('Ben', 'admin')];
      expect(operatorOf(viewer)).to.deep.include({ name: 'Anna', role: 'viewer' });
      expect(operatorOf(admin)).to.deep.include({ name: 'Ben', role: 'admin' });
      expect(operatorOf('the-token-of-the-setting')).to.deep.include({ name: 'ADMIN_TOKEN', role: 'admin' });
      for (const wrong of ['', 'ADMIN_TOKEN', viewer.slice(0, -1), operatorOf(viewer)!.tokenId])
        expect(access.check(wrong), wrong).to.deep.equal({ valid: false, fault: 'unknown' });
      expect(access.find('the-token-of-the-setting')).to.equal(undefined);
    });

    it('end for all sessions once they are revoked, also if the name gets a new one', async () => {
      const token = await create('Anna');
      const { tokenId } = operatorOf(token)!;
      expect(access.find(tokenId)).to.deep.include({ name: 'Anna' });
      await changeAccess(store(), audited('access revoke'), (file) => revokeToken(file, 'Anna'));
      const next = await create('Anna', 'admin');
      expect([access.find(tokenId), operatorOf(token)]).to.deep.equal([undefined, undefined]);
      expect(operatorOf(next)?.role).to.equal('admin');
      const { entries } = await readAudit(audited('').dataDir, { kind: 'access-token' });
      expect(entries.map(({ action, subject }) => [action, subject.name])).to.deep.equal([
        ['access create', 'Anna'],
        ['access revoke', 'Anna'],
        ['access create', 'Anna'],
      ]);
      expect(JSON.stringify(entries)).to.not.include(tokenId).and.not.include(token);
    });

    it('have a role that can change while somebody is signed in', async () => {
      const { tokenId } = operatorOf(await create('Anna', 'admin'))!;
      await changeAccess(store(), audited('access role'), (file) => setRole(file, 'Anna', 'viewer'));
      await eventually(() => expect(access.find(tokenId)?.role).to.equal('viewer'), 5000);
    });

    it('belong to an advertiser or publisher, which can change with the role', async () => {
      const { tokenId } = operatorOf(await create('Anna'))!;
      expect(access.find(tokenId)?.party).to.equal(null);
      const change = async (role: Role, party?: string) => {
        await changeAccess(store(), audited('access role'), (file) => setRole(file, 'Anna', role, party));
        const expected = party === undefined ? null : { kind: role, name: party };
        await eventually(() => expect(access.find(tokenId)).to.deep.include({ role, party: expected }), 5000);
      };
      await change('advertiser', 'Hill & Dale');
      await change('publisher', 'Garden Forum');
      await change('publisher', 'Rival Chat');
      await change('viewer');
      const { entries } = await readAudit(audited('').dataDir, { kind: 'access-token' });
      expect(entries.slice(0, 4).map(({ fields }) => fields['party'])).to.deep.equal([
        { old: 'Rival Chat', new: null },
        { old: 'Garden Forum', new: 'Rival Chat' },
        { old: 'Hill & Dale', new: 'Garden Forum' },
        { old: null, new: 'Hill & Dale' },
      ]);
    });

    it('expire at their moment, and say so', async () => {
      const token = await create('Anna', 'viewer', now + MINUTE);
      const { tokenId } = operatorOf(token)!;
      now += MINUTE;
      expect(access.check(token)).to.deep.equal({ valid: false, fault: 'expired' });
      expect(access.find(tokenId)).to.equal(undefined);
    });

    it('show when they were last used, to within ten minutes, which is no entry of the audit log', async () => {
      const token = await create('Anna');
      const lastUsed = async () => (await store().read()).tokens[0]?.lastUsedAt;
      const refreshed = async (expected: string) =>
        eventually(async () => {
          await clusters[1]?.refresh();
          expect(await lastUsed()).to.equal(expected);
        }, 5000);
      await refreshed('2026-11-29T12:00:00.000Z');
      now += 9 * MINUTE;
      operatorOf(token);
      now += MINUTE;
      access.find(operatorOf(token)!.tokenId);
      await refreshed('2026-11-29T12:10:00.000Z');
      const { entries } = await readAudit(audited('').dataDir, { kind: 'access-token' });
      expect(entries).to.have.length(1);
    });
  });
}

describe('the file of access tokens', () => {
  const log = pino({ level: 'silent' });
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('stays in force while it is damaged or missing, and follows its repair', async () => {
    const store = accessStore(dataDir);
    const { token } = await store.change((file) =>
      createToken(file, { name: 'Anna', role: 'viewer', expiresAt: null }, Date.now()),
    );
    const faults: string[] = [];
    const access = await openAccess({
      store,
      adminToken: 'the-token-of-the-setting',
      clock: Date.now,
      log: { warn: () => undefined, error: (_, message) => void faults.push(message) },
      pollMs: 20,
    });
    try {
      writeFileSync(store.path, '{"version": 1, "tokens": [');
      await eventually(() => expect(faults.join()).to.include('access tokens: the file cannot be read'));
      expect(access.check(token).valid).to.equal(true);
      writeFileSync(store.path, '{"version": 1, "tokens": []}');
      await eventually(() => expect(access.check(token).valid).to.equal(false));
    } finally {
      await access.close();
    }
  });

  it('is refused when a role lacks its advertiser or publisher, or another has one', async () => {
    const store = accessStore(dataDir);
    await store.change((file) => createToken(file, { name: 'Anna', role: 'viewer', expiresAt: null }, 0));
    const [anna] = (await store.read()).tokens;
    for (const [changes, message] of [
      [{ role: 'advertiser' }, 'the access token of "Anna" needs the name of its advertiser'],
      [{ role: 'publisher' }, 'the access token of "Anna" needs the name of its publisher'],
      [{ role: 'admin', party: 'Hill & Dale' }, 'must not belong to anyone'],
      [{ role: 'advertiser', party: '' }, 'party'],
      [{ role: 'advertiser', party: ' ' }, 'party'],
      [{ role: 'owner' }, 'role'],
    ] as const) {
      writeFileSync(store.path, JSON.stringify({ version: 1, tokens: [{ ...anna, ...changes }] }));
      expect(String(await store.read().catch((error: unknown) => error)), JSON.stringify(changes)).to.include(message);
    }
    for (const [role, party] of [
      ['advertiser', undefined],
      ['viewer', 'Hill & Dale'],
    ] as const)
      expect(() =>
        createToken({ version: 1, tokens: [] }, { name: 'Anna', role, party, expiresAt: null }, 0),
      ).to.throw();
  });

  it('is refused when two tokens have one name, or the name of the setting', async () => {
    const store = accessStore(dataDir);
    await store.change((file) => createToken(file, { name: 'Anna', role: 'viewer', expiresAt: null }, 0));
    const { tokens } = await store.read();
    const [anna] = tokens;
    for (const name of ['anna', 'ADMIN_TOKEN', 'admin_token']) {
      const other = { ...anna, name, sha256: '0'.repeat(64) };
      writeFileSync(store.path, JSON.stringify({ version: 1, tokens: [anna, other] }));
      expect(String(await store.read().catch((error: unknown) => error)), name).to.include('appears twice');
    }
  });

  it('is followed for edits by hand, which the audit log records, but not for uses', async () => {
    const store = accessStore(dataDir);
    const edits = await followEdits({
      dataDir,
      store,
      describe: accessChanges,
      auditedPart: auditedAccess,
      log,
      clock: Date.now,
      pollMs: 20,
    });
    await store.change((file) => createToken(file, { name: 'Anna', role: 'admin', expiresAt: null }, 0));
    const entriesOf = async () => (await readAudit(dataDir)).entries;
    await eventually(async () => expect(await entriesOf()).to.have.length(1));
    await store.change((file) => void (file.tokens[0]!.lastUsedAt = new Date().toISOString()));
    await store.change((file) => setRole(file, 'Anna', 'viewer'));
    await eventually(async () => expect(await entriesOf()).to.have.length(2));
    await edits.close();
    const [entry] = await entriesOf();
    expect(entry).to.deep.include({
      subject: { kind: 'access-token', name: 'Anna' },
      fields: { role: { old: 'admin', new: 'viewer' } },
    });
    expect(entry?.by.via).to.equal('file');
  });
});
