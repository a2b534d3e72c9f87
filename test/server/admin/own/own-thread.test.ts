import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../../../../platform/command-line/run-command.js';
import { access } from '../../../../server/commands/access/command.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { temporaryLedger } from '../../ledger/temporary-ledger.js';
import { type Operator, startOperator, TOKEN } from '../operator.js';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const CREATIVES = 500;
const DAYS = 60;

/** Counts an impression a day of each of many creatives. */
function countMany(file: string, advertiser: string): void {
  const database = new Sqlite(file);
  const set = database.prepare(`insert into dimension_sets values (?, 'Chat', ?, '', ?, 0)`);
  const counter = database.prepare(`insert into counters values ('day-creative', ?, ?, 'impression', '', 1, 0)`);
  database.transaction(() => {
    for (let creative = 0; creative < CREATIVES; creative++) {
      set.run(1000 + creative, advertiser, `ad-${creative}`);
      // Days start at a minute.
      for (let day = 0; day < DAYS; day++) {
        counter.run(Math.floor(NOW / 86_400_000 - day) * 1440, 1000 + creative);
      }
    }
  })();
  database.close();
}

describe('the report of an operator', function () {
  this.timeout(120_000);
  const temporary = temporaryLedger();
  let operator: Operator;
  let ana = '';
  before(async () => {
    const ledger = await temporary.open({ clock: () => NOW });
    await ledger.record({ kind: 'impression', id: testDigest(1), claims: testClaims({ advertiser: 'Acme' }), at: NOW });
    await ledger.close();
    countMany(temporary.file, 'Acme');
    let printed = '';
    const output = { out: (text: string) => void (printed += text), err: (text: string) => void (printed += text) };
    const holder = ['create', '--name', 'Ana', '--role', 'advertiser', '--advertiser', 'Acme'];
    expect(await runCommand(access, [...holder, '--data-dir', temporary.dataDir], output), printed).to.equal(0);
    ana = printed.trimEnd().split('\n').at(-1)!;
    operator = await startOperator({ settings: { DATA_DIR: temporary.dataDir }, clock: () => NOW });
  });
  after(async () => {
    await operator.close();
    await temporary.remove();
  });

  it('does not wait for those of advertisers and publishers', async () => {
    const ended: string[] = [];
    const ask = async (token: string, place: string, name: string): Promise<void> => {
      const answer = await operator.get(`/admin/api/${place}`, { authorization: `Bearer ${token}` });
      expect(answer.status, await answer.text()).to.equal(200);
      ended.push(name);
    };
    const dates = 'from=2026-09-25&to=2026-11-21';
    // The first report of either starts its thread.
    await ask(TOKEN, 'reports?by=publisher', 'operator');
    await ask(ana, `own?${dates}`, 'advertiser');
    ended.length = 0;
    const theirs = Array.from({ length: 4 }, () => ask(ana, `own?by=day,creative&${dates}`, 'advertiser'));
    await pause(50);
    await ask(TOKEN, 'reports?by=publisher', 'operator');
    await Promise.all(theirs);
    // On a slow machine the first of theirs may end before.
    expect(ended.indexOf('operator')).to.be.at.most(1);
    expect(ended).to.have.length(5);
  });
});
