import { expect } from 'chai';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { readFileSync, rmSync } from 'node:fs';
import type { AuditEntry } from '../../../../models/audit/audit-log.js';
import { feedRow, writeFeed } from '../../../support/feed.js';
import { runCommand } from '../../../support/indexer-command.js';
import { Installation } from '../../../support/installation.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { createLedger } from '../../../../server/ledger/server-ledger.js';

const command = (name: string): string => `server/commands/${name}/main.js`;

describe('npm run audit', function () {
  this.timeout(120_000);
  let folder: string;
  let dataDir: string;
  let commands: Installation;
  before(async () => {
    folder = temporaryDirectory();
    dataDir = join(folder, 'data');
    commands = new Installation(dataDir);
    const spring = { advertiser: 'Green', campaign: 'Spring', budgetMicros: 9_000_000 };
    for (const micros of [2_000_000, 3_000_000]) {
      const row = feedRow('mower', { ...spring, pricing: { model: 'cpm', micros } });
      const ended = await runCommand('main', dataDir, writeFeed(folder, [row, feedRow('rake')]));
      if (ended.code !== 0) throw new Error(ended.stderr);
    }
    const ledger = await createLedger({
      database: { file: join(dataDir, 'ledger.sqlite') },
      currency: 'USD',
      timeZone: 'UTC',
    });
    const claims = testClaims({ pricing: { model: 'cpc', micros: 450_000 } });
    await ledger.record({ kind: 'click', id: testDigest(1), claims, at: Date.UTC(2024, 9, 5) });
    await ledger.close();
  });
  after(() => rmSync(folder, { recursive: true }));

  const entries = async (...args: string[]) =>
    (JSON.parse(await commands.run(command('audit'), '--json', ...args)) as { entries: AuditEntry[] }).entries;

  it('lists who published which prices, and who rolled them back', async () => {
    expect((await runCommand('rollback', dataDir)).code).to.equal(0);
    const told = await entries('--kind', 'campaign');
    expect(told.map(({ action, fields }) => [action, fields['pricing']?.old, fields['pricing']?.new])).to.deep.equal([
      ['rollback', { model: 'cpm', micros: 3_000_000 }, { model: 'cpm', micros: 2_000_000 }],
      ['index', { model: 'cpm', micros: 2_000_000 }, { model: 'cpm', micros: 3_000_000 }],
    ]);
    expect(told[0]!.by).to.include({ via: 'command', user: userInfo().username });
    const [back, second, first] = await entries('--kind', 'snapshot');
    expect(first!.fields['live']).to.deep.equal({ old: null, new: first!.subject.name });
    expect(second!.fields['live']).to.deep.equal({ old: first!.subject.name, new: second!.subject.name });
    expect(back!.fields['live']).to.deep.equal({ old: second!.subject.name, new: first!.subject.name });
    expect(back!.fields['changedTerms']).to.deep.equal({ old: null, new: 1 });
  });

  it('lists changes of campaigns, keys, closed invoices and corrections', async () => {
    await commands.run(command('campaigns'), 'set', 'Spring', '--budget', '12.50');
    await commands.run(command('keys'), 'create', '--publisher', 'Chat');
    await commands.run(command('invoice'), '--advertiser', 'Green', '--month', '2024-10', '--close');
    await commands.run(command('invoice'), '--advertiser', 'Green', '--month', '2024-10', '--close');
    await commands.run(command('corrections'), 'void', '--kind', 'click', '--reason', 'a script', '--confirm');
    await commands.run(command('ledger'), 'rebuild');
    const told = (await entries()).slice(0, 6).map(({ action, subject }) => `${action}: ${subject.kind}`);
    expect(told).to.deep.equal([
      'ledger rebuild: ledger',
      'corrections void: correction',
      'invoice close: invoice',
      'keys create: publisher',
      'keys create: key',
      'campaigns set: campaign',
    ]);
    const [closed] = await entries('--kind', 'invoice');
    expect(closed!.subject.name).to.equal('Green 2024-10');
    const [voided] = await entries('--kind', 'correction');
    expect(voided!.fields).to.deep.include({ events: { old: null, new: 1 }, credit: { old: null, new: '0.450000' } });
    const table = await commands.run(command('audit'), '--name', 'Spring', '--limit', '1');
    expect(table).to.include('budgetMicros: 9.00 (feed) → 12.50').and.include(userInfo().username);
  });

  it('lists creatives taken down and released, and changes of signing keys and key modes', async () => {
    await commands.run(command('creatives'), 'block', 'mower', '--reason', 'no licence');
    await commands.run(command('creatives'), 'block', 'mower', '--reason', 'no licence');
    await commands.run(command('creatives'), 'unblock', 'mower');
    await commands.run(command('signing-keys'), 'rotate');
    await commands.run(command('signing-keys'), 'rotate');
    const [issuing, retired] = await entries('--kind', 'signing-key');
    await commands.run(command('signing-keys'), 'drop', retired!.subject.name);
    await commands.run(command('keys'), 'create', '--publisher', 'Forum');
    const [{ subject }] = (await entries('--kind', 'key')) as [AuditEntry];
    await commands.run(command('keys'), 'mode', subject.name, 'browser');
    const told = (await entries()).map(({ action, subject: of }) => `${action}: ${of.kind} ${of.name}`);
    const keys = [issuing, retired].map((entry) => `signing-key ${entry!.subject.name}`);
    expect(told.slice(0, told.indexOf('creatives block: creative mower') + 1)).to.deep.equal([
      `keys mode: key ${subject.name}`,
      'keys create: publisher Forum',
      `keys create: key ${subject.name}`,
      `signing-keys drop: ${keys[1]}`,
      `signing-keys rotate: ${keys[0]}`,
      `signing-keys rotate: ${keys[1]}`,
      `signing-keys rotate: ${keys[1]}`,
      'creatives unblock: creative mower',
      'creatives block: creative mower',
    ]);
    const [mode] = await entries('--kind', 'key');
    expect(mode!.fields).to.deep.equal({ mode: { old: null, new: 'browser' } });
    const [released, down] = await entries('--kind', 'creative');
    expect(down!.fields['reason']).to.deep.equal({ old: null, new: 'no licence' });
    expect(released!.fields).to.have.keys('takenDownAt', 'reason');
    const log = await commands.run(command('audit'), '--json');
    const file = readFileSync(join(dataDir, 'signing-keys.json'), 'utf8');
    for (const { secret } of (JSON.parse(file) as { keys: { secret: string }[] }).keys) {
      expect(log).to.not.include(secret);
    }
  });

  it('exits with 2 and names its help for invalid arguments', async () => {
    for (const argv of [['--kind', 'price'], ['--since', 'monday'], ['--limit', '0'], ['x']]) {
      const { code, stderr } = await commands.attempt(command('audit'), ...argv);
      expect([code, stderr.includes('See npm run audit -- --help')], argv.join(' ')).to.deep.equal([2, true]);
    }
  });
});
