import { expect } from 'chai';
import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { actorText, commandActor } from '../../../models/audit/actor.js';
import { AUDIT_FILE, recordAudit, type AuditEntry } from '../../../models/audit/audit-log.js';
import { readAudit } from '../../../models/audit/read-audit.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const entry = (number: number, name = `c${number}`): AuditEntry => ({
  at: new Date(Date.UTC(2026, 10, 21, 12, number)).toISOString(),
  by: commandActor({}),
  action: 'campaigns set',
  subject: { kind: number % 2 === 0 ? 'campaign' : 'key', name },
  fields: { budgetMicros: { old: null, new: number } },
});

describe('the audit log', () => {
  let dataDir: string;
  let file: string;
  beforeEach(() => {
    dataDir = join(temporaryDirectory(), 'data');
    file = join(dataDir, AUDIT_FILE);
  });
  const names = async (...args: Parameters<typeof readAudit>) =>
    (await readAudit(...args)).entries.map(({ subject }) => subject.name);

  it('is a file that only its owner can read, and that only grows', async () => {
    expect(await readAudit(dataDir)).to.deep.equal({ entries: [], damaged: 0, next: null });
    await recordAudit({ dataDir }, [entry(1)]);
    const before = readFileSync(file, 'utf8');
    await recordAudit({ dataDir }, [entry(2), entry(3)]);
    expect(readFileSync(file, 'utf8').startsWith(before)).to.equal(true);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect((await readAudit(dataDir)).entries).to.deep.equal([entry(3), entry(2), entry(1)]);
  });

  it('keeps all entries that are added at the same time, whole', async () => {
    const all = Array.from({ length: 50 }, (_, number) => entry(number));
    await Promise.all(all.map((one) => recordAudit({ dataDir }, [one])));
    expect((await names(dataDir)).toSorted()).to.deep.equal(all.map(({ subject }) => subject.name).toSorted());
  });

  it('is read by kind, name and time, latest first', async () => {
    await recordAudit({ dataDir }, [entry(1), entry(2), entry(3), entry(4, 'c2')]);
    expect(await names(dataDir, { kind: 'key' })).to.deep.equal(['c3', 'c1']);
    expect(await names(dataDir, { name: 'c2' })).to.deep.equal(['c2', 'c2']);
    expect(await names(dataDir, { since: Date.UTC(2026, 10, 21, 12, 3) })).to.deep.equal(['c2', 'c3']);
  });

  it('reports the number of unreadable lines, and starts a new line after one that was cut off', async () => {
    await recordAudit({ dataDir }, [entry(1)]);
    appendFileSync(file, '{"at":"2026-11-21T12:00:00Z","by":{"via":"comm');
    await recordAudit({ dataDir }, [entry(2)]);
    appendFileSync(file, 'null\n7\n');
    expect(await names(dataDir)).to.deep.equal(['c2', 'c1']);
    expect((await readAudit(dataDir)).damaged).to.equal(3);
  });

  it('is read page by page from its end, even if it is longer than the longest string', async () => {
    mkdirSync(dataDir);
    writeFileSync(file, '');
    truncateSync(file, 2 ** 30);
    await recordAudit(
      { dataDir },
      [1, 2, 3, 4, 5].map((number) => entry(number)),
    );
    const first = await readAudit(dataDir, {}, { entries: 2 });
    expect(first).to.deep.equal({ entries: [entry(5), entry(4)], damaged: 0, next: first.next });
    const second = await readAudit(dataDir, { kind: 'key' }, { entries: 2, before: first.next! });
    expect(second.entries).to.deep.equal([entry(3), entry(1)]);
  });

  it('is read back as far as asked, whether or not anything is found there, and can be continued from there', async () => {
    await recordAudit(
      { dataDir },
      [1, 2, 3].map((number) => entry(number)),
    );
    const none = await readAudit(dataDir, { name: 'c1' }, { bytes: 1 });
    expect(none).to.deep.equal({ entries: [], damaged: 0, next: none.next });
    expect(none.next).to.be.below(statSync(file).size);
    const rest = await readAudit(dataDir, { name: 'c1' }, { before: none.next! });
    expect(rest).to.deep.equal({ entries: [entry(1)], damaged: 0, next: null });
  });

  it('throws when an entry cannot be written', async () => {
    mkdirSync(file, { recursive: true });
    const refused = await recordAudit({ dataDir }, [entry(1)]).catch((error: NodeJS.ErrnoException) => error.code);
    expect(refused).to.equal('EISDIR');
  });
});

describe('the actor of a command', () => {
  it('is the system user, with the user who called sudo', () => {
    const actor = commandActor({ SUDO_USER: 'alice' });
    expect(actor).to.include({ via: 'command', sudoUser: 'alice' });
    expect(actorText(actor)).to.match(/^\S.* \(sudo: alice\) on \S+$/);
    expect(commandActor({})).to.not.have.property('sudoUser');
  });
});
