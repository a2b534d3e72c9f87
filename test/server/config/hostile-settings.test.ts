import { expect } from 'chai';
import fc from 'fast-check';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readEnvironment, SettingsError } from '../../../platform/command-line/settings.js';
import { readConfig } from '../../../server/config/config.js';
import { SETTINGS } from '../../../server/config/settings.js';
import { anyText } from '../../support/hostile-values.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('arbitrary settings', () => {
  const names = SETTINGS.map(({ name }) => name);
  /** Returns the settings, or null if each problem was reported in a sentence. */
  const read = (env: Record<string, string>, argv: readonly string[] = []) => {
    try {
      return readConfig(env, argv);
    } catch (error) {
      expect(error).to.be.instanceOf(SettingsError);
      for (const problem of (error as SettingsError).problems) expect(problem).to.match(/\S \S/);
      return null;
    }
  };
  const value = fc.oneof(
    anyText,
    fc.integer().map(String),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.base64String({ minLength: 40, maxLength: 48 }),
    fc.constantFrom('on', 'http://?', 'https://[::1]:0/x', 'EUR', 'Etc/GMT+14', '+25:00', 'fast', '.5', '1.'),
  );

  it('are accepted, or refused by name', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (env) => {
        const config = read(env);
        if (config === null) return;
        expect(config.port).to.be.within(0, 65_535);
        expect(config.maxBodyBytes).to.be.at.least(1024);
      }),
      { numRuns: 2000 },
    );
  });

  it('give a base URL of http or https to which paths can be added, and no other', () => {
    const scheme = fc.constantFrom('http://', 'https://', 'HTTPS://', 'ftp://', 'javascript://', 'file://', '//', '');
    const host = fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('localhost:8080', '[::1]', 'user@ads.example', ''));
    const rest = fc.oneof(fc.constantFrom('', '/', '/ads', '/ads/', '?', '#', '?a=b', '#a'), anyText);
    let accepted = 0;
    fc.assert(
      fc.property(scheme, host, rest, (...parts) => {
        const { baseUrl } = read({ BASE_URL: parts.join('') }) ?? { baseUrl: null };
        if (baseUrl === null) return;
        accepted++;
        const beacon = new URL(`${baseUrl}/beacon?requestId=x`);
        expect(beacon.protocol).to.match(/^https?:$/);
        expect(beacon.pathname).to.match(/\/beacon$/);
        expect(beacon.search).to.equal('?requestId=x');
        expect(beacon.username).to.equal('');
      }),
      { numRuns: 2000 },
    );
    expect(accepted).to.be.above(100);
  });

  it('are refused as options too', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyText, fc.constantFrom('--port', '--port=0', '--', '--floor')), { maxLength: 5 }),
        (argv) => void read({}, argv),
      ),
      { numRuns: 2000 },
    );
  });

  it('never show a secret in an error message', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w+/-]{17,60}=?$/), (secret) => {
        for (const name of ['SIGNING_KEYS', 'ADMIN_TOKEN']) {
          expect(() => readConfig({ [name]: `${secret} ${secret}` }))
            .to.throw(SettingsError, name)
            .with.property('message')
            .that.does.not.include(secret);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('take no part of a password for the host or the name of a database', () => {
    const password = fc.string({
      unit: fc.constantFrom('/', '?', '#', '@', ':', '%', '&', '=', '1', 'a', '.'),
      maxLength: 12,
    });
    let accepted = 0;
    fc.assert(
      fc.property(password, (text) => {
        const config = read({ DATABASE_URL: `postgres://user:${text}@db.example/ads` });
        if (config === null) return;
        accepted++;
        expect(new URL(config.databaseUrl!)).to.include({ host: 'db.example', pathname: '/ads' });
      }),
      { numRuns: 2000 },
    );
    expect(accepted).to.be.above(100);
  });

  it('are read from any .env file', () => {
    const file = path.join(temporaryDirectory(), '.env');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        writeFileSync(file, bytes);
        expect(readEnvironment(file)).to.include({ PATH: process.env['PATH'] });
      }),
      { numRuns: 300 },
    );
    rmSync(path.dirname(file), { recursive: true });
  });
});
