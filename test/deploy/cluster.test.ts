import { expect } from 'chai';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { SETTINGS } from '../../server/config/settings.js';
import { API } from '../../server/domain/urls.js';
import { eventually } from '../support/eventually.js';
import { freePorts } from '../support/free-ports.js';
import { listen } from '../support/listen.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, object>>;
  readonly extra_hosts?: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly [field: string]: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, object>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const compose = parse(read('compose.cluster.yaml'), { merge: true }) as Compose;
const one = (parse(read('compose.yaml')) as Compose).services['adjacent']!;
const conf = read('deploy/cluster/nginx.conf');
const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith('node'));

const namesOf = (networks: Service['networks']): readonly string[] =>
  Array.isArray(networks) ? (networks as readonly string[]) : Object.keys(networks);

describe('compose.cluster.yaml', () => {
  it('has three nodes that differ only in their volume, address and operator port', () => {
    expect(nodes.map(([name]) => name)).to.deep.equal(['node1', 'node2', 'node3']);
    const places = nodes.map(([, { volumes, ports }]) => [volumes[0], ports![0]]);
    expect(new Set(places.flat()).size).to.equal(6);
    const own = new Set(['volumes', 'ports', 'networks']);
    const rest = nodes.map(([, node]) => JSON.stringify(Object.entries(node).filter(([field]) => !own.has(field))));
    expect(new Set(rest).size).to.equal(1);
    for (const [, { ports }] of nodes)
      expect(ports)
        .to.have.length(1)
        .and.to.match(/^127\.0\.0\.1:/);
  });

  it('sets only existing settings, and keeps secrets out of the environment', () => {
    const [, { environment = {}, secrets = [] }] = nodes[0]!;
    expect(SETTINGS.map(({ name }) => name)).to.include.members(Object.keys(environment));
    // Nor empty: the environment wins over the secret.
    expect(environment).to.not.have.any.keys('DATABASE_URL', 'REPORTS_DATABASE_URL', 'ADMIN_TOKEN', 'SIGNING_KEYS');
    // The working directory of the image.
    expect(secrets).to.deep.equal([{ source: 'node-env', target: '/opt/adjacent/.env' }]);
    expect(read('Dockerfile')).to.match(/WORKDIR \/opt\/adjacent$/m);
    expect(environment['TRUST_PROXY']).to.equal('1');
  });

  it('gives a node the same restrictions as compose.yaml', () => {
    const hardening = 'read_only tmpfs cap_drop security_opt ulimits pids_limit stop_grace_period healthcheck logging';
    for (const field of hardening.split(' ')) expect(nodes[0]![1][field], field).to.deep.equal(one[field]);
    const proxy = compose.services['proxy']!;
    expect(proxy).to.deep.include({ user: '101:101', read_only: true, cap_drop: ['ALL'] });
  });

  it('exposes the database only to the nodes, and has a health check for every service', () => {
    expect(compose.networks['inner']).to.deep.equal({ internal: true });
    const postgres = compose.services['postgres']!;
    expect(postgres.networks).to.deep.equal(['inner']);
    expect(postgres.ports).to.equal(undefined);
    expect(compose.services['proxy']!.networks).to.deep.equal(['front']);
    for (const [name, { healthcheck }] of Object.entries(compose.services))
      expect(healthcheck.test, name).to.be.an('array');
  });

  it('declares exactly the volumes, networks and secrets that it uses', () => {
    const services = Object.values(compose.services);
    const named = services.flatMap(({ volumes }) => volumes).filter((each) => /^\w/.test(each));
    expect(Object.keys(compose.volumes)).to.have.members(named.map((each) => each.split(':')[0]!));
    const networks = services.flatMap((service) => namesOf(service.networks));
    expect(Object.keys(compose.networks)).to.have.members([...new Set(networks)]);
    const secrets = services.flatMap(({ secrets: used = [] }) => used);
    const sources = secrets.map((each) => (typeof each === 'string' ? each : each.source));
    expect(Object.keys(compose.secrets)).to.have.members([...new Set(sources)]);
  });

  it('configures all nodes in the proxy by name and port', () => {
    const upstreams = [...conf.matchAll(/^  upstream (\w+) \{([^}]+)\}/gm)];
    expect(upstreams.map(([, name]) => name)).to.deep.equal(['nodes', 'events']);
    for (const [, upstream, servers = ''] of upstreams) {
      const names = [...servers.matchAll(/^\s+server (\S+):3000 /gm)].map(([, name]) => name);
      expect(names, upstream).to.deep.equal(nodes.map(([name]) => name));
    }
    const proxy = compose.services['proxy']!;
    const addresses = nodes.map(([name, { networks }]) => {
      return `${name}:${(networks as Record<string, { ipv4_address?: string }>)['front']!.ipv4_address}`;
    });
    expect(proxy.extra_hosts).to.deep.equal(addresses);
    expect(new Set(addresses.map((each) => each.slice('nodeN:'.length))).size).to.equal(3);
    const [, listening] = /listen (\d+);/.exec(conf) ?? [];
    expect(proxy.ports).to.deep.equal([`127.0.0.1:\${PORT:-3000}:${listening}`]);
    expect(proxy.healthcheck.test.at(-1)).to.equal('http://127.0.0.1:8081/health');
    expect(proxy.volumes).to.deep.equal(['./deploy/cluster/nginx.conf:/etc/nginx/adjacent.conf:ro']);
  });
});

/** The nginx executable, also where Debian's package puts it. */
const nginx = ['nginx', '/usr/sbin/nginx'].find((each) => spawnSync(each, ['-v']).error === undefined);

describe('the proxy of compose.cluster.yaml', function () {
  this.timeout(60_000);
  const folder = temporaryDirectory();
  const ended: (() => Promise<unknown>)[] = [];
  let proxy: ChildProcess | undefined;
  let origin = '';
  /** Requests that each node received, and how it responds. */
  const asked: { node: number; method: string; url: string; address: string }[] = [];
  let answer = (_node: number, _request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200).end();
  };

  before(async function () {
    if (nginx === undefined) return this.skip();
    const servers = await Promise.all(
      [1, 2, 3].map((node) =>
        listen((request, response) => {
          const { method = '', url = '', headers } = request;
          asked.push({ node, method, url, address: String(headers['x-forwarded-for']) });
          request.resume().on('end', () => {
            response.setHeader('x-node', node);
            answer(node, request, response);
          });
        }),
      ),
    );
    ended.push(...servers.map(({ close }) => close));
    const [port = 0, health = 0] = await freePorts(2);
    origin = `http://127.0.0.1:${port}`;
    const local = servers.reduce(
      (text, server, at) =>
        text.replaceAll(`node${at + 1}:3000`, new URL(server.origin).host.replace('localhost', '127.0.0.1')),
      conf
        .replace('listen 8080;', `listen 127.0.0.1:${port};`)
        .replace('127.0.0.1:8081', `127.0.0.1:${health}`)
        .replaceAll('/tmp/', `${folder}/`)
        .replace('worker_processes auto', 'worker_processes 1'),
    );
    mkdirSync(path.join(folder, 'proxy'), { recursive: true });
    const file = path.join(folder, 'nginx.conf');
    writeFileSync(file, local);
    proxy = spawn(nginx, ['-p', folder, '-c', file, '-g', 'daemon off; user root;'], { stdio: 'ignore' });
    await eventually(async () => {
      if ((await fetch(`http://127.0.0.1:${health}/health`)).status !== 204) throw new Error('not healthy');
    });
  });
  beforeEach(() => {
    asked.length = 0;
    answer = (_, __, response) => void response.writeHead(200).end();
  });
  after(async () => {
    if (proxy !== undefined) {
      const gone = once(proxy, 'exit');
      proxy.kill('SIGTERM');
      await gone;
    }
    for (const end of ended) await end();
    rmSync(folder, { recursive: true });
  });

  const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${origin}${url}`, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) });

  it('sends a session, or a visitor without one, to the same node, and distributes them over all nodes', async () => {
    const nodeOf = async (headers: Record<string, string>) =>
      (await ask(`${API}/match`, headers, 'POST')).headers.get('x-node');
    const met = new Set<string | null>();
    for (let each = 0; each < 30; each++) {
      const session = { 'x-session-id': `session-${each}` };
      const address = { 'x-forwarded-for': `203.0.113.${each}` };
      for (const headers of [session, address]) {
        const first = await nodeOf(headers);
        expect(await nodeOf(headers)).to.equal(first);
        met.add(first);
      }
    }
    expect(met.size).to.equal(3);
  });

  it('forwards only the visitor’s address, whatever addresses precede it', async () => {
    await ask('/sdk/adsdk.js', { 'x-forwarded-for': '198.51.100.1, 203.0.113.7, 10.0.0.3' });
    await ask('/sdk/adsdk.js');
    expect(asked.map(({ address }) => address)).to.deep.equal(['203.0.113.7', '127.0.0.1']);
  });

  it('forwards public paths, and no operator paths', async () => {
    const api = [`${API}/beacon?requestId=a`, '/openapi.json'];
    for (const url of [...api, '/sdk/adsdk.js', '/admin', '/admin/', '/docs', '/', '/demo/chat.js']) {
      expect((await ask(url)).status, url).to.equal(200);
    }
    const passed = asked.length;
    for (const url of ['/metrics', '/readyz', '/healthz', '/docs/x', '/administration', '/demo']) {
      expect((await ask(url)).status, url).to.equal(404);
    }
    expect(asked.length).to.equal(passed);
  });

  it('retries a beacon at another node after a 503, but not a match', async () => {
    answer = (_, __, response) => void response.writeHead(503).end();
    const refused = await ask(`${API}/match`, { 'x-session-id': 'a' }, 'POST');
    expect(refused.status).to.equal(503);
    expect(asked).to.have.length(1);
    const first = asked[0]!.node;
    answer = (node, _, response) => void response.writeHead(node === first ? 503 : 200).end();
    expect((await ask(`${API}/beacon?requestId=a`, { 'x-session-id': 'a' })).status).to.equal(200);
    expect(asked.slice(1).map(({ node }) => node))
      .to.have.length(2)
      .and.to.include(first);
  });

  it('keeps sending matches to all nodes while these refuse events, and passes the refusals on', async () => {
    answer = (_, { url = '' }, response) => void response.writeHead(url === `${API}/match` ? 200 : 503).end();
    const events = [`${API}/beacon?requestId=a`, `${API}/target/a?requestId=a`, `${API}/images/a.png`, '/admin/'];
    for (let each = 0; each < 12; each++) {
      const session = { 'x-session-id': `away-${each}` };
      for (const url of events) expect((await ask(url, session)).status, `${url} ${each}`).to.equal(503);
    }
    const met = new Set<string | null>();
    for (let each = 0; each < 30; each++) {
      const response = await ask(`${API}/match`, { 'x-session-id': `away-${each}` }, 'POST');
      expect(response.status).to.equal(200);
      met.add(response.headers.get('x-node'));
    }
    expect(met.size).to.equal(3);
  });

  it('bypasses a node that is down, for matches and events', async () => {
    const [gone] = ended.splice(0, 1);
    await gone!();
    const met = new Set<string | null>();
    for (let each = 0; each < 20; each++) {
      const response = await ask(`${API}/match`, { 'x-session-id': `late-${each}` }, 'POST');
      expect(response.status).to.equal(200);
      met.add(response.headers.get('x-node'));
      expect((await ask(`${API}/beacon?requestId=a`, { 'x-session-id': `late-${each}` })).status).to.equal(200);
    }
    expect([...met]).to.have.members(['2', '3']);
  });
});
