import { expect } from 'chai';
import { openClient } from '../../../platform/postgres/connection.js';
import { isConnectionLost } from '../../../platform/postgres/connection-lost.js';
import { temporaryDatabase } from '../../support/postgres.js';

describe('an error of a PostgreSQL connection', () => {
  const german = (code: string, severity = 'FEHLER'): Error => Object.assign(new Error('nein'), { severity, code });

  it('counts as a lost connection by its code, whatever the language of its severity', () => {
    for (const code of ['23505', '55P03', '40P01', '57014', '53100', '25006', 'P0001', 'XX000']) {
      expect(isConnectionLost(german(code)), code).to.equal(false);
    }
    for (const code of ['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '08006', '08P01']) {
      expect(isConnectionLost(german(code, 'FATAL')), code).to.equal(true);
      expect(isConnectionLost(german(code)), code).to.equal(true);
    }
  });

  it('counts as a lost connection if the network or the client raised it', () => {
    for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT']) {
      expect(isConnectionLost(Object.assign(new Error('lost'), { code })), code).to.equal(true);
    }
    expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).to.equal(true);
    expect(isConnectionLost(new Error('Query read timeout'))).to.equal(true);
  });

  it('leaves the connection usable after a failed statement, but not after a termination by the server', async () => {
    const database = await temporaryDatabase();
    const [client, other] = [await openClient(database.url), await openClient(database.url)];
    try {
      const refused: unknown = await client.query('select 1 / 0').catch((error: unknown) => error);
      expect(refused).to.have.property('code', '22012');
      expect(isConnectionLost(refused)).to.equal(false);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const asked = client.query('select pg_sleep(60)').catch((error: unknown) => error);
      await other.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
      const ended = await asked;
      expect(ended).to.have.property('code', '57P01');
      expect(isConnectionLost(ended)).to.equal(true);
    } finally {
      await other.end();
      await database.drop();
    }
  });
});
