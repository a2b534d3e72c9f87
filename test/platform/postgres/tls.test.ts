import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import path from 'node:path';
import { connectionFault } from '../../../platform/postgres/connection-fault.js';
import { openClient } from '../../../platform/postgres/connection.js';
import { startPostgres, type TemporaryPostgres } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a connection to a PostgreSQL whose certificate has an authority of its own', function () {
  this.timeout(300_000);
  let postgres: TemporaryPostgres;
  let url: string;
  let authority: string;
  before(async function () {
    if (spawnSync('openssl', ['version']).error !== undefined) this.skip();
    const folder = temporaryDirectory();
    const at = (name: string): string => path.join(folder, name);
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2', '-nodes'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', ...subject, '-keyout', at('key'), '-out', at('crt')],
      {
        stdio: 'ignore',
      },
    );
    // The test's PostgreSQL does not run as root, and must own its key.
    if (process.getuid?.() === 0) ['', 'key', 'crt'].forEach((name) => chownSync(at(name), 65_534, 65_534));
    authority = at('crt');
    postgres = await startPostgres(['ssl=on', `ssl_cert_file=${at('crt')}`, `ssl_key_file=${at('key')}`]);
    url = (await postgres.database()).url.replace('127.0.0.1', 'localhost');
  });
  after(() => postgres?.stop());

  it('is refused without that authority, which the error asks for, and made with it, in every mode that verifies', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    try {
      for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
        const refused = await openClient(`${url}?sslmode=${mode}`).catch(connectionFault);
        expect(refused, mode).to.contain('add sslrootcert=FILE');
        const client = await openClient(`${url}?sslmode=${mode}&sslrootcert=${encodeURIComponent(authority)}`);
        const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
        expect(rows, mode).to.deep.equal([{ ssl: true }]);
        await client.end();
      }
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).to.deep.equal([]);
    } finally {
      process.off('warning', onWarning);
    }
  });

  it('is refused under a name that the certificate does not have', async () => {
    const other = url.replace('localhost', '127.0.0.1');
    const refused = await openClient(`${other}?sslmode=require&sslrootcert=${encodeURIComponent(authority)}`).catch(
      connectionFault,
    );
    expect(refused).to.contain('altnames');
  });
});
