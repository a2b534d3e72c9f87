import { expect } from 'chai';
import { clockAhead } from '../../../models/cluster/clock-ahead.js';
import { openPool } from '../../../models/postgres/connection.js';
import { temporaryDatabase } from '../../support/postgres.js';

describe('a machine’s clock', () => {
  it('is compared with the database’s', async () => {
    const database = await temporaryDatabase();
    const pool = openPool(database.url, 1);
    try {
      expect(await clockAhead(pool)).to.be.closeTo(0, 5000);
      expect(await clockAhead(pool, () => Date.now() + 600_000)).to.be.closeTo(600_000, 5000);
      expect(await clockAhead(pool, () => Date.now() - 600_000)).to.be.closeTo(-600_000, 5000);
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
