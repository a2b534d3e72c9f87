import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readEnvironment, SettingsError } from '../../../platform/command-line/settings.js';
import { readConfig } from '../../../server/config/config.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const problems = (env: Record<string, string>, argv: string[] = []): readonly string[] => {
  try {
    readConfig(env, argv);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
};

describe('settings', () => {
  it('each have a default', () => {
    const { workers, ...config } = readConfig({});
    expect(workers).to.be.within(1, 4);
    expect(config).to.deep.equal({
      port: 3000,
      host: '127.0.0.1',
      opsPort: null,
      opsHost: '127.0.0.1',
      opsDashboard: false,
      baseUrl: null,
      trustProxy: 0,
      countryHeader: null,
      dataDir: resolve('data'),
      databaseUrl: null,
      adminToken: null,
      signingKeys: null,
      installation: null,
      demo: true,
      currency: 'USD',
      timeZone: 'UTC',
      profile: 'quality',
      reportsDatabaseUrl: null,
      languages: 'all',
      model: null,
      floor: null,
      logLevel: 'info',
      maxBodyBytes: 262_144,
      impressionWindowMs: 86_400_000,
      clickWindowMs: 30 * 86_400_000,
      clicksPerHour: 120,
      dataCentres: null,
      keepEventsDays: 90,
      search: 'memory',
      warnings: [],
    });
  });

  it('select a bundled encoder by its profile', () => {
    expect(() => readConfig({ PROFILE: 'constructor' })).to.throw(SettingsError, /PROFILE must be one of/);
    expect(readConfig({ PROFILE: 'fast' }).profile).to.equal('fast');
    expect(readConfig({}, ['--profile', 'fast']).profile).to.equal('fast');
    expect(() => readConfig({ PROFILE: 'best' })).to.throw(
      SettingsError,
      /PROFILE must be one of quality, fast, not "best"/,
    );
  });

  it('come from options before the environment, where an empty value counts as unset', () => {
    const config = readConfig({ PORT: '4000', TIME_ZONE: '' }, ['--port', '5000', '--base-url=https://ads.example/a/']);
    expect(config).to.include({ port: 5000, timeZone: 'UTC', baseUrl: 'https://ads.example/a' });
  });

  it('come from the environment before the .env file', () => {
    const file = join(temporaryDirectory(), '.env');
    writeFileSync(file, 'ADJACENT_TEST_ONLY=from-file\nPATH=from-file\n');
    expect(readEnvironment(file)).to.include({ ADJACENT_TEST_ONLY: 'from-file', PATH: process.env['PATH'] });
  });

  it('are all checked, and all faults are reported at once', () => {
    const wrong = {
      PORT: '70000',
      OPS_PORT: 'nine',
      OPS_DASHBOARD: 'perhaps',
      BASE_URL: 'ftp://ads.example',
      TRUST_PROXY: 'yes',
      WORKERS: '0',
      ADMIN_TOKEN: 'short',
      SIGNING_KEYS: 'not-a-key',
      DEMO: 'maybe',
      CURRENCY: 'dollars',
      TIME_ZONE: 'Mars/Olympus',
      DATABASE_URL: 'mysql://user:password@host/db',
      FLOOR: '1.5',
      LOG_LEVEL: 'loud',
      MAX_BODY: '256KiB',
      IMPRESSION_HOURS: '-1',
      CLICK_DAYS: '31',
      // Events must be kept longer than any request id could count again.
      KEEP_EVENTS_DAYS: '30',
    };
    const found = problems(wrong, ['--colour', 'red', 'extra', '--host']);
    expect(found.map((problem) => problem.split(' ')[0])).to.deep.equal([
      '--colour',
      'red',
      'extra',
      '--host',
      ...Object.keys(wrong),
    ]);
  });

  it('are refused without showing secrets', () => {
    const text = problems({
      ADMIN_TOKEN: 'hunter2',
      SIGNING_KEYS: 'hunter2',
      DATABASE_URL: 'http://hunter2@h/d',
    }).join();
    expect(text).to.not.include('hunter2');
    expect(text).to.include('DATABASE_URL must be an address such as postgres://');
  });

  it('refuse the URL of a database whose password ends the host early, without showing it', () => {
    for (const password of ['12/34secret', '12/34?secret', '12/34#secret', '12@h/34?secret', '12/34/secret']) {
      const url = `postgres://user:${password}@127.0.0.1:3117/ads`;
      for (const name of ['DATABASE_URL', 'REPORTS_DATABASE_URL']) {
        const [problem = '', ...more] = problems({ DATABASE_URL: 'postgres://db/ads', [name]: url });
        expect(problem, password).to.match(new RegExp(`^${name} must have one name after the host, .*%2F`));
        expect([problem, ...more].join()).to.not.match(/secret|34|127/);
      }
    }
    const escaped = 'postgres://user:12%2F34%40%3F%23@127.0.0.1:3117/ads?sslmode=verify-full&sslrootcert=/etc/ca.pem';
    expect(readConfig({ DATABASE_URL: escaped }).databaseUrl).to.equal(escaped);
  });

  it('refuse the URL of several databases, or with an unknown sslmode, and say what to write instead', () => {
    for (const url of [
      'postgres://user:secret@a:5432,b:5432/ads?target_session_attrs=read-write',
      'postgres://a,b/ads',
      'postgres://a/ads?host=a,b',
    ]) {
      expect(problems({ DATABASE_URL: url }), url).to.deep.equal([
        'DATABASE_URL names several hosts; it must have one, a name or an address that follows the primary (OPERATIONS: ' +
          'Failover)',
      ]);
    }
    for (const url of ['postgres://user@/ads?host=/run/postgresql', 'postgres://user@::1:5432/ads']) {
      expect(problems({ DATABASE_URL: url })[0], url)
        .to.contain('[::1]')
        .and.to.contain('%2Frun%2Fpostgresql');
    }
    expect(problems({ DATABASE_URL: 'postgres://a/ads?sslmode=verify_full' })[0]).to.contain('verify-full');
    for (const url of [
      'postgres://u:a,b@a/ads?sslmode=require',
      'postgres://%2Frun%2Fpg/ads',
      'postgres://[::1]:5/ads',
    ]) {
      expect(readConfig({ DATABASE_URL: url }).databaseUrl).to.equal(url);
    }
  });

  it('refuse a base URL with query, fragment or password', () => {
    for (const url of ['https://a.example/?x', 'https://a.example/#x', 'https://a:b@a.example']) {
      expect(problems({ BASE_URL: url }), url).to.have.length(1);
    }
  });

  it('listen only on this machine if the base URL is local, unless HOST is set', () => {
    const hostOf = (env: Record<string, string>) => readConfig(env).host;
    expect(hostOf({})).to.equal('127.0.0.1');
    expect(hostOf({ BASE_URL: 'http://localhost:8080' })).to.equal('127.0.0.1');
    expect(hostOf({ BASE_URL: 'http://shop.localhost' })).to.equal('127.0.0.1');
    expect(hostOf({ BASE_URL: 'http://127.0.0.2:8080' })).to.equal('127.0.0.2');
    expect(hostOf({ BASE_URL: 'http://[::1]:8080' })).to.equal('::1');
    expect(hostOf({ HOST: '0.0.0.0' })).to.equal('0.0.0.0');
    expect(hostOf({ BASE_URL: 'https://ads.example' })).to.equal(undefined);
  });

  it("refuse a dashboard on the operators' port if there is no such port", () => {
    expect(problems({ COUNTRY_HEADER: 'CF-IPCountry' })[0]).to.include(
      'COUNTRY_HEADER is set, which needs TRUST_PROXY',
    );
    expect(problems({ COUNTRY_HEADER: 'country: GB' })[0]).to.include('must be the name of a header');
    const proxied = readConfig({ COUNTRY_HEADER: 'CF-IPCountry', TRUST_PROXY: '1' });
    expect(proxied).to.include({ countryHeader: 'cf-ipcountry' });
    expect(problems({ OPS_DASHBOARD: 'on' })).to.deep.equal(['OPS_DASHBOARD is on, which needs OPS_PORT']);
    expect(readConfig({ OPS_DASHBOARD: 'on', OPS_PORT: '0' })).to.include({ opsDashboard: true, opsPort: 0 });
  });

  it('refuse a replica for reports without the database that it copies', () => {
    expect(problems({ REPORTS_DATABASE_URL: 'postgres://db/a' })).to.deep.equal([
      'REPORTS_DATABASE_URL is set, which needs DATABASE_URL: it names a replica of that database',
    ]);
    const both = { DATABASE_URL: 'postgres://db/a', REPORTS_DATABASE_URL: 'postgres://replica/a' };
    expect(readConfig(both).reportsDatabaseUrl).to.equal('postgres://replica/a');
  });

  it('warn if reports come from a database of another name, as after a restore into a new one', () => {
    const warningsOf = (own: string, reports: string) =>
      readConfig({
        DATABASE_URL: `postgres://u:hunter2@db/${own}`,
        REPORTS_DATABASE_URL: `postgres://replica/${reports}`,
      }).warnings;
    expect(warningsOf('ads_restored', 'ads')).to.deep.equal([
      'REPORTS_DATABASE_URL names the database ads, DATABASE_URL ads_restored: unless it is a replica under another ' +
        'name, reports come from other data',
    ]);
    expect(warningsOf('ads', 'ads?sslmode=require')).to.deep.equal([]);
  });

  it('name all settings that lack another one', () => {
    expect(
      problems({ OPS_DASHBOARD: 'on', REPORTS_DATABASE_URL: 'postgres://db/a', SEARCH: 'pgvector' }),
    ).to.have.length(3);
  });

  it('refuse to search in a database if there is none', () => {
    expect(problems({ SEARCH: 'pgvector' })).to.deep.equal(['SEARCH is pgvector, which needs DATABASE_URL']);
    expect(problems({ SEARCH: 'elsewhere' })[0]).to.contain('SEARCH must be one of memory, pgvector');
    expect(readConfig({ SEARCH: 'pgvector', DATABASE_URL: 'postgres://db/a' }).search).to.equal('pgvector');
    expect(readConfig({}).search).to.equal('memory');
  });

  it('turn the demo on only if the base URL is local', () => {
    expect(readConfig({ BASE_URL: 'https://ads.example' }).demo).to.equal(false);
    expect(readConfig({ BASE_URL: 'http://127.0.0.1:8080' }).demo).to.equal(true);
    expect(readConfig({ BASE_URL: 'https://ads.example', DEMO: 'on' }).demo).to.equal(true);
    expect(readConfig({ BASE_URL: 'https://127.evil.example' }).demo).to.equal(false);
    expect(readConfig({ DEMO: 'off' }).demo).to.equal(false);
  });

  it('warn about plain http beyond this machine', () => {
    expect(readConfig({ BASE_URL: 'http://ads.example', OPS_PORT: '3001' }).warnings).to.have.length(1);
    expect(readConfig({ BASE_URL: 'http://localhost:3000' }).warnings).to.deep.equal([]);
  });

  it('warn about metrics on a public port', () => {
    expect(readConfig({ BASE_URL: 'https://ads.example' }).warnings).to.deep.equal([
      'OPS_PORT is not set: the proxy must not expose /metrics, /readyz and /healthz, which are on PORT',
    ]);
    expect(readConfig({ BASE_URL: 'https://ads.example', OPS_PORT: '3001' }).warnings).to.deep.equal([]);
  });
});
