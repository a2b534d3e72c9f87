import { expect } from 'chai';
import { connect } from 'node:net';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { API } from '../../server/domain/urls.js';
import type { OpenApi } from '../../server/http/docs/openapi.js';
import { feedRows, writeFeed } from '../support/feed.js';
import { runCommand } from '../support/indexer-command.js';
import { Installation } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type Operator, startOperator, TOKEN } from './admin/operator.js';

const PATHS = ['/metrics', '/readyz', '/healthz'];

describe("the operators' port", () => {
  let operator: Operator;
  const from = (port: number | null, path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init });
  const onPublic = (path: string, init?: RequestInit) => from(operator.serving.port, path, init);
  const onOperators = (path: string, init?: RequestInit) => from(operator.serving.operatorsPort, path, init);
  const contract = async () => (await (await onPublic('/openapi.json')).json()) as OpenApi;

  describe('without the dashboard', () => {
    before(async () => void (operator = await startOperator({ settings: { OPS_PORT: '0' } })));
    after(() => operator.close());

    it('serves metrics and health, which the public port then does not', async () => {
      for (const path of PATHS) {
        expect((await onPublic(path)).status, path).to.equal(404);
        expect((await onOperators(path)).status, path).to.be.oneOf([200, 503]);
      }
      expect(await (await onOperators('/metrics')).text()).to.include('adjacent_encoder_queue');
      expect((await contract()).paths).to.not.have.any.keys(...PATHS);
    });

    it('serves nothing public, and no dashboard', async () => {
      for (const path of [`${API}/beacon`, '/openapi.json', '/sdk/adsdk.js', '/', '/admin/']) {
        expect((await onOperators(path)).status, path).to.equal(404);
      }
      expect((await onPublic('/admin/')).status).to.equal(303);
      expect(operator.serving.dashboardUrl).to.equal(`${operator.serving.baseUrl}/admin/`);
    });
  });

  describe('with the dashboard', () => {
    before(async () => {
      const settings = { OPS_PORT: '0', OPS_DASHBOARD: 'on', BASE_URL: 'https://ads.example/ads' };
      operator = await startOperator({ settings });
    });
    after(() => operator.close());

    it('is the only one to serve it, with the report API', async () => {
      const { dashboardUrl, operatorsPort } = operator.serving;
      expect(dashboardUrl).to.equal(`http://localhost:${operatorsPort}/admin/`);
      for (const path of ['/admin/', '/ads/admin/', '/admin/sign-in', '/admin/api/reports']) {
        expect((await onPublic(path)).status, path).to.equal(404);
      }
      const signedIn = await onOperators('/admin/sign-in', {
        method: 'POST',
        body: new URLSearchParams({ token: TOKEN }),
        headers: { origin: `http://127.0.0.1:${operatorsPort}` },
      });
      expect([signedIn.status, signedIn.headers.get('location')]).to.deep.equal([303, '/admin/']);
      const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
      expect((await onOperators('/admin/', { headers: { cookie } })).status).to.equal(200);
      const report = await onOperators('/admin/api/reports', { headers: { authorization: `Bearer ${TOKEN}` } });
      expect(report.status).to.equal(200);
      expect((await contract()).paths).to.not.have.property('/admin/api/reports');
    });
  });
});

describe("the operators' paths on the public port", () => {
  let operator: Operator;
  before(async () => {
    operator = await startOperator({ settings: { BASE_URL: 'https://ads.example/ads', TRUST_PROXY: '1' } });
  });
  after(() => operator.close());

  it('have one spelling, at the root only', async () => {
    const at = async (path: string) => (await fetch(`http://127.0.0.1:${operator.serving.port}${path}`)).status;
    for (const path of PATHS) {
      expect(await at(path), path).to.be.oneOf([200, 503]);
      for (const other of [`${path}/`, `/ads${path}`, `/ads${path}/`, `/ads/ads${path}`, `/${path}`, `${path}%2f`]) {
        expect(await at(other), other).to.equal(404);
      }
      expect(await at(path.toUpperCase()), path).to.equal(404);
    }
  });

  it('include the report API, which the contract describes', async () => {
    const base = `http://127.0.0.1:${operator.serving.port}`;
    const { paths, components } = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApi;
    const { security, responses, parameters } = paths['/admin/api/reports']!['get']!;
    expect(security).to.deep.equal([{ accessToken: [] }]);
    expect(components.securitySchemes).to.have.property('accessToken');
    expect(await (await fetch(`${base}/docs`)).text()).to.include(
      'Needs an access token as a bearer token in the header <code>authorization</code>',
    );
    const query = new URLSearchParams(parameters!.map(({ name }) => [name, EXAMPLES[name] ?? 'x']));
    const report = (token: string, asked = query.toString()) =>
      fetch(`${base}/admin/api/reports?${asked}`, { headers: { authorization: `Bearer ${token}` } });
    expect((await report(TOKEN)).status).to.equal(200);
    const statuses = [(await report(TOKEN, 'by=week')).status, (await report('wrong')).status];
    expect(responses).to.include.all.keys('200', ...statuses.map(String));
    expect(statuses).to.deep.equal([400, 401]);
  });

  const EXAMPLES: Readonly<Record<string, string>> = {
    by: 'day,creative',
    from: '2026-11-01',
    to: '2026-11-30',
    'time-zone': 'Europe/Berlin',
    test: '1',
    format: 'json',
  };

  it('count wrong tokens by network, together with the dashboard’s, and log their addresses', async () => {
    const guess = (number: number) => {
      // Each from another address of one /64, in short form.
      const headers = { 'x-forwarded-for': `2a00:1::${number.toString(16)}` };
      return number % 2 === 0
        ? operator.sendBare('/admin/sign-in', { token: `guess-${number}` }, headers)
        : operator.get('/admin/api/reports', { ...headers, authorization: `Bearer guess-${number}` });
    };
    const statuses = [];
    for (let number = 1; number <= 30; number++) statuses.push((await guess(number)).status);
    expect(statuses.filter((status) => status !== 429)).to.have.length(10);
    expect(statuses.slice(10)).to.deep.equal(Array.from({ length: 20 }, () => 429));
    const elsewhere = { 'x-forwarded-for': '2a00:1:0:1::1' };
    expect((await operator.sendBare('/admin/sign-in', { token: TOKEN }, elsewhere)).status).to.equal(303);
    const logged = operator.logged.filter(({ level }) => level === 40).map(({ ip }) => ip);
    expect(logged).to.include.members(['2a00:1::1', '2a00:1::2']);
  });
});

describe('a server with a local base URL', () => {
  it('is reachable only from this machine', async function () {
    const outside = Object.values(networkInterfaces()).flatMap(
      (each) => each?.filter(({ internal, family }) => !internal && family === 'IPv4') ?? [],
    );
    const [other] = outside;
    if (other === undefined) this.skip();
    const operator = await startOperator({ settings: { HOST: '' } });
    try {
      const { port } = operator.serving;
      expect((await fetch(`http://localhost:${port}/healthz`)).status).to.equal(200);
      const socket = connect(port, other.address);
      const outcome = await new Promise<string>((resolve) => {
        socket.once('connect', () => resolve('connected')).once('error', ({ message }) => resolve(message));
      });
      socket.destroy();
      expect(outcome).to.include('ECONNREFUSED');
    } finally {
      await operator.close();
    }
  });
});

describe('files of the server and its commands', () => {
  it('cause a warning if others may read DATA_DIR', async () => {
    const operator = await startOperator();
    try {
      const warnings = operator.logged.filter(({ level }) => level === 40).map(({ msg }) => msg);
      expect(warnings.some((text) => String(text).startsWith('other users of this machine may read'))).to.equal(true);
    } finally {
      await operator.close();
    }
  });

  it('are readable only by their own user', async function () {
    this.timeout(120_000);
    const folder = temporaryDirectory();
    chmodSync(folder, 0o755);
    const before = process.umask(0o022);
    const dataDir = join(folder, 'data');
    const adjacent = new Installation(dataDir, { PROFILE: 'fast' });
    try {
      const indexed = await runCommand('main', dataDir, writeFeed(folder, feedRows(3)));
      expect(indexed.code, indexed.stderr).to.equal(0);
      await adjacent.createKey('--publisher', 'Chat');
      await adjacent.serve();
      await adjacent.run('server/commands/ledger/main.js', 'backup', join(folder, 'ledger-copy.sqlite'));
      const written = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
        (name) => name !== 'feed.jsonl',
      );
      expect(written).to.include.members([
        'ledger-copy.sqlite',
        'data',
        join('data', 'ledger.sqlite'),
        join('data', 'keys.json'),
      ]);
      const open = written.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
      expect(open).to.deep.equal([]);
    } finally {
      process.umask(before);
      await adjacent.end();
    }
  });
});
