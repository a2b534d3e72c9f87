import { expect } from 'chai';
import { compareClocks } from '../../../platform/cluster/compare-clocks.js';
import { openPool } from '../../../platform/postgres/connection.js';
import { temporaryDatabase } from '../../support/postgres.js';

describe('a machine’s clock', () => {
  it('is compared with the database’s; a difference is logged once, and so is its end', async () => {
    const database = await temporaryDatabase();
    const pool = await openPool(database.url, 1);
    const logged: string[] = [];
    let offset = 0;
    const record = (level: string) => (details: object, message: string) => {
      const { aheadMs } = details as { aheadMs: number };
      logged.push(`${level} ${Math.round(aheadMs / 60_000)} ${message}`);
    };
    const look = compareClocks(pool, { info: record('info'), warn: record('warn') }, () => Date.now() + offset);
    try {
      for (const minutes of [0, 10, 10, 0, -10, 0]) {
        offset = minutes * 60_000;
        await look();
      }
      expect(logged).to.deep.equal([
        'warn 10 this machine’s clock and the database’s differ',
        'info 0 the machine’s clock and the database’s agree again',
        'warn -10 this machine’s clock and the database’s differ',
        'info 0 the machine’s clock and the database’s agree again',
      ]);
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
