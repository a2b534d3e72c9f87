import { expect } from 'chai';
import { compareClocks } from '../../../platform/cluster/compare-clocks.js';
import { openPool } from '../../../platform/postgres/connection.js';
import { temporaryDatabase } from '../../support/postgres.js';

describe('a machine’s clock', () => {
  it('is compared with the database’s, and told of once where they are apart, and once where they agree again', async () => {
    const database = await temporaryDatabase();
    const pool = openPool(database.url, 1);
    const told: string[] = [];
    let offset = 0;
    const tell = (level: string) => (details: object, message: string) => {
      const { aheadMs } = details as { aheadMs: number };
      told.push(`${level} ${Math.round(aheadMs / 60_000)} ${message}`);
    };
    const look = compareClocks(pool, { info: tell('info'), warn: tell('warn') }, () => Date.now() + offset);
    try {
      for (const minutes of [0, 10, 10, 0, -10, 0]) {
        offset = minutes * 60_000;
        await look();
      }
      expect(told).to.deep.equal([
        'warn 10 the machine’s clock is not the database’s',
        'info 0 the machine’s clock and the database’s agree again',
        'warn -10 the machine’s clock is not the database’s',
        'info 0 the machine’s clock and the database’s agree again',
      ]);
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
