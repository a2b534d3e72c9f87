import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import type { UsageEvent } from '../../../server/ledger/ledger.js';
import { temporaryLedger } from './temporary-ledger.js';

const DAY = 86_400_000;
const at = Date.UTC(2026, 10, 21, 12);

describe('a ledger from before budgets', () => {
  it('knows what was spent once it is opened', async () => {
    const temporary = temporaryLedger();
    try {
      const ledger = await temporary.open();
      const pricing = { model: 'cpc', micros: 5 } as const;
      const eventOf = (number: number, campaign: string | null, day: number): UsageEvent => {
        const names = { publisher: `p${number % 2}`, creative: 'c', campaign, advertiser: null };
        const claims = { ...names, pricing, issuedAt: at, test: number === 9 };
        return { kind: 'click', id: number.toString(16).padStart(32, '0'), claims, at: at + day * DAY };
      };
      const events = [
        eventOf(1, 'x', 0),
        eventOf(2, 'x', 0),
        eventOf(3, 'x', 1),
        eventOf(4, null, 1),
        eventOf(9, 'x', 1),
      ];
      await Promise.all(events.map((event) => ledger.record(event)));
      const spending = await ledger.spending(at + DAY);
      await ledger.close();
      expect(spending).to.have.deep.members([
        { campaign: 'x', creative: '', total: 15, today: 5 },
        { campaign: '', creative: 'c', total: 5, today: 5 },
      ]);

      const database = new Sqlite(temporary.file);
      database.exec('drop table spend');
      database.pragma('user_version = 2');
      database.close();
      expect(await (await temporary.open()).spending(at + DAY)).to.have.deep.members(spending as object[]);
    } finally {
      await temporary.remove();
    }
  });
});
