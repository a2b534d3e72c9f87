import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSigningKeys } from '../../../../server/domain/signing-key.js';
import { createRequestIds } from '../../../../server/request-id/request-ids.js';
import { Installation } from '../../../support/installation.js';
import { testClaims } from '../../../support/test-claims.js';
import { temporaryLedger, type TemporaryLedger } from '../../ledger/temporary-ledger.js';

const COMMAND = 'server/commands/corrections/main.js';
const requestIds = createRequestIds(parseSigningKeys(randomBytes(32).toString('base64')));
const claims = testClaims({ pricing: { model: 'cpc', micros: 450_000 } });

describe('npm run corrections', () => {
  let temporary: TemporaryLedger;
  let commands: Installation;
  let ids: string[];
  before(async () => {
    temporary = temporaryLedger();
    commands = new Installation(temporary.dataDir);
    const ledger = await temporary.open();
    ids = Array.from({ length: 3 }, () => requestIds.issue(claims));
    for (const [hour, id] of ids.entries()) {
      const verified = requestIds.verify(id);
      if (!verified.valid) throw new Error(verified.reason);
      await ledger.record({ kind: 'click', id: verified.digest, claims, at: Date.UTC(2026, 10, 21, hour) });
    }
    await ledger.close();
  });
  after(() => temporary.remove());

  it('shows the events, and voids them once confirmed, by request ids or by URLs that contain them', async () => {
    const list = join(temporary.dataDir, 'clicks.txt');
    writeFileSync(list, `${ids[0]}\n\nhttps://ads.example/target/mower-1?a=b&requestId=${ids[1]}\n${ids[1]}\nforged\n`);
    const wanted = ['void', '--request-ids', list, '--reason', 'Clicks by a script'];
    const shown = await commands.run(COMMAND, ...wanted);
    expect(shown)
      .to.match(/Garden Chat .* click .* 2 .* 0\.90 .* 2026-11/)
      .and.include('Nothing was changed');
    expect(await commands.run(COMMAND, 'list')).to.include('nothing was voided yet');
    expect(await commands.run(COMMAND, ...wanted, '--confirm')).to.include('Voided by correction 1.');
    const again = await commands.attempt(COMMAND, ...wanted, '--confirm');
    expect([again.code, again.stderr]).to.deep.equal([
      1,
      'no counted event of 3 request ids matches, is still stored and is not voided yet\n',
    ]);
    const { corrections } = JSON.parse(await commands.run(COMMAND, 'list', '--json')) as { corrections: object[] };
    expect(corrections).to.have.length(1);
    expect(corrections[0]).to.include({ reason: 'Clicks by a script', events: 2, credit: '0.900000' });
    expect(await commands.run(COMMAND, 'list')).to.include('Clicks by a script');
    const report = await commands.run('server/commands/report/main.js');
    expect(report).to.include('voided later: 2 of the events above, and 0.90 of the spend is credited');
  });

  it('reads request ids from a pipe, once', async () => {
    const fifo = join(temporary.dataDir, 'ids');
    execFileSync('mkfifo', [fifo]);
    const feeding = writeFile(fifo, `${ids[2]}\n`);
    const shown = await commands.run(COMMAND, 'void', '--request-ids', fifo, '--reason', 'x');
    await feeding;
    expect(shown).to.match(/Garden Chat .* click .* 1 /);
  });

  it('takes a bare date as a day in the ledger’s time zone, whatever TIME_ZONE the shell has', async () => {
    const elsewhere = new Installation(temporary.dataDir, { TIME_ZONE: 'America/Los_Angeles' });
    const on = async (day: string) =>
      (await elsewhere.attempt(COMMAND, 'void', '--from', day, '--to', day, '--reason', 'x')).code;
    expect([await on('2026-11-20'), await on('2026-11-21')]).to.deep.equal([1, 0]);
  });

  it('takes a bare date as the whole day', async () => {
    const on = (from: string, to: string) =>
      commands.attempt(COMMAND, 'void', '--from', from, '--to', to, '--reason', 'x');
    expect((await on('2026-11-21', '2026-11-21')).code).to.equal(0);
    expect((await on('2026-11-20', '2026-11-20')).code).to.equal(1);
  });

  it('exits with 2 and names its help for invalid arguments, and with 1 for an unknown name', async () => {
    const wrong = [
      [],
      ['erase'],
      ['void', '--reason', 'x'],
      ['void', '--publisher', 'Garden Chat'],
      ['void', '--kind', 'sale', '--reason', 'x'],
      ['void', '--from', 'monday', '--reason', 'x'],
      ['void', '--from', '2026-11-22', '--to', '2026-11-21', '--reason', 'x'],
    ];
    for (const argv of wrong) {
      const { code, stderr } = await commands.attempt(COMMAND, ...argv);
      expect([code, stderr.includes('See npm run corrections -- --help')], argv.join(' ')).to.deep.equal([2, true]);
    }
    const { code, stderr } = await commands.attempt(COMMAND, 'void', '--publisher', 'Garden', '--reason', 'x');
    expect([code, stderr]).to.deep.equal([1, 'there is no publisher "Garden"; near it: "Garden Chat"\n']);
  });
});
