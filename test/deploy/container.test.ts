import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { readCommit, trackedFiles } from '../../release/commit.js';
import { filesIn } from '../../release/files-in.js';
import { SETTINGS } from '../../server/config/settings.js';
import { watchProcess } from '../support/child-process.js';
import { listen } from '../support/listen.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The fields of the manifests that are tested. */
interface Manifest {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas: number;
    readonly maxUnavailable?: number;
    readonly selector: object;
    readonly policyTypes?: readonly string[];
    readonly egress?: readonly unknown[];
    readonly template: { readonly spec: Pod };
  };
}
interface Pod {
  readonly securityContext: object;
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly securityContext: object;
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly livenessProbe: { readonly httpGet: object };
    readonly readinessProbe: { readonly httpGet: object };
    readonly lifecycle: { readonly preStop: object };
    readonly volumeMounts: readonly { readonly mountPath: string }[];
  }[];
}

const dockerfile = read('Dockerfile');
const compose = (
  parse(read('compose.yaml')) as {
    services: { adjacent: Readonly<Record<string, unknown>> & { environment: object; ports: readonly string[] } };
  }
).services.adjacent;
const manifests = parseAllDocuments(read('deploy/kubernetes.yaml')).map((each) => each.toJS() as Manifest);
const pod = manifests.find(({ kind }) => kind === 'StatefulSet')!;
const config = manifests.find(({ kind }) => kind === 'ConfigMap')!.data!;

/** The image's environment: what follows ENV, including continued lines. */
const imageEnv = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV ((?:.*\\\n)*.*)$/gm)].flatMap(([, body = '']) =>
    [...body.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  ),
);

describe('the image, compose.yaml and the Kubernetes manifests', () => {
  const settings = SETTINGS.map(({ name }) => name);

  it('set only existing settings', () => {
    const ofLibraries = /^(NODE_ENV|SQLITE_TMPDIR|npm_config_\w+)$/;
    const own = Object.keys(imageEnv).filter((name) => !ofLibraries.test(name));
    expect(own).to.include('DATA_DIR');
    expect(settings).to.include.members([...own, ...Object.keys(compose.environment), ...Object.keys(config)]);
  });

  it('pass on every setting except those that are fixed inside the container', () => {
    const inside = ['PORT', 'HOST', 'OPS_PORT', 'DATA_DIR'];
    expect([...Object.keys(compose.environment), ...inside]).to.have.members(settings);
    const { environment } = (parse(read('compose.cluster.yaml')) as { 'x-node': { environment: object } })['x-node'];
    const secret = ['DATABASE_URL', 'REPORTS_DATABASE_URL', 'ADMIN_TOKEN', 'SIGNING_KEYS'];
    expect([...Object.keys(environment), ...inside, ...secret]).to.have.members(settings);
  });

  it('agree on ports and directories', () => {
    expect(imageEnv).to.include({ PORT: '3000', OPS_PORT: '3001', DATA_DIR: '/data/adjacent' });
    expect(compose.ports).to.deep.equal(['127.0.0.1:${PORT:-3000}:3000', '127.0.0.1:${OPS_PORT:-3001}:3001']);
    const [container] = pod.spec.template.spec.containers;
    expect(container!.ports).to.deep.equal([
      { name: 'public', containerPort: 3000 },
      { name: 'ops', containerPort: 3001 },
    ]);
    expect(container!.volumeMounts.map(({ mountPath }) => mountPath)).to.deep.equal(['/data', '/backups', '/tmp']);
  });

  it('let SQLite sort on the volume, since /tmp is small and in memory', () => {
    expect(imageEnv).to.include({ SQLITE_TMPDIR: '/data' });
    expect(dockerfile).to.match(/^VOLUME \/data$/m);
    expect(compose['volumes']).to.include('data:/data');
    const [tmp] = compose['tmpfs'] as readonly string[];
    expect(tmp).to.match(/^\/tmp:size=64m/);
    const replaced = [...Object.keys(compose.environment), ...Object.keys(config)];
    expect(replaced).to.not.include('SQLITE_TMPDIR');
  });

  it('give the server no privileges, one writable volume, and time to shut down', () => {
    expect(dockerfile).to.match(/^USER 1000:1000$/m);
    expect(compose).to.deep.include({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '15s',
    });
    const { securityContext, containers, terminationGracePeriodSeconds } = pod.spec.template.spec;
    expect(securityContext).to.include({ runAsNonRoot: true, runAsUser: 1000 });
    expect(containers[0]!.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(terminationGracePeriodSeconds).to.be.above(14);
  });

  it('run one server, which may open no connection', () => {
    expect(pod.spec.replicas).to.equal(1);
    const { policyTypes, egress } = manifests.find(({ kind }) => kind === 'NetworkPolicy')!.spec;
    expect(policyTypes).to.include('Egress');
    expect(egress).to.deep.equal([]);
  });

  it('use the operator paths for the liveness and readiness probes', () => {
    const { livenessProbe, readinessProbe } = pod.spec.template.spec.containers[0]!;
    expect(livenessProbe.httpGet).to.deep.equal({ path: '/healthz', port: 'ops' });
    // Not the whole /readyz: a shared database that is away would take every pod out of service.
    expect(readinessProbe.httpGet).to.deep.equal({ path: '/readyz?for=traffic', port: 'ops' });
  });

  it('end a pod only after requests go elsewhere, and one pod at a time', () => {
    const { containers, terminationGracePeriodSeconds } = pod.spec.template.spec;
    const { preStop } = containers[0]!.lifecycle;
    expect(preStop).to.deep.equal({ exec: { command: ['sleep', '5'] } });
    // The server takes up to 14 s.
    expect(terminationGracePeriodSeconds).to.be.above(5 + 14);
    const { spec } = manifests.find(({ kind }) => kind === 'PodDisruptionBudget')!;
    expect(spec.maxUnavailable).to.equal(1);
    expect(spec.selector).to.deep.equal(pod.spec.selector);
  });
});

describe('the health check of the image', () => {
  const check = async (env: Record<string, string>) => {
    const child = spawn(process.execPath, ['deploy/healthcheck.mjs'], { cwd: root, env });
    const { code, stdout } = await watchProcess(child).ended;
    return { code, said: stdout.trim() };
  };

  it('passes if the server is ready, on the operator port if it has one', async () => {
    const server = await listen((request, response) => {
      response.writeHead(request.url === '/readyz' ? 200 : 404).end('ready');
    });
    const { port } = new URL(server.origin);
    try {
      expect(await check({ OPS_PORT: port, PORT: '1' })).to.deep.equal({ code: 0, said: 'ready' });
      expect(await check({ OPS_PORT: port, OPS_HOST: '0.0.0.0' })).to.deep.equal({ code: 0, said: 'ready' });
      expect(await check({ OPS_PORT: '', PORT: port, HOST: '0.0.0.0' })).to.deep.equal({ code: 0, said: 'ready' });
    } finally {
      await server.close();
    }
  });

  it('fails with a reason if the server is not ready or does not respond', async () => {
    const server = await listen((_, response) => void response.writeHead(503).end('disk: full'));
    const { port } = new URL(server.origin);
    expect(await check({ OPS_PORT: port })).to.deep.equal({ code: 1, said: 'disk: full' });
    await server.close();
    const { code, said } = await check({ OPS_PORT: port });
    expect(code).to.equal(1);
    expect(said).to.include('ECONNREFUSED');
  });
});

describe('the build context of the image', function () {
  this.timeout(120_000);
  const work = temporaryDirectory();
  after(() => rmSync(work, { recursive: true }));

  it('is everything that a release needs, and contains nothing generated, secret or data', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => new RegExp(`^${line.slice(1).replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`));
    const context = path.join(work, 'context');
    for (const file of trackedFiles(root, readCommit(root, true))) {
      if (!allowed.some((pattern) => pattern.test(file)) || /\/screenshots\//.test(file)) continue;
      mkdirSync(path.dirname(path.join(context, file)), { recursive: true });
      cpSync(path.join(root, file), path.join(context, file));
    }
    for (const made of ['node_modules', 'dist']) symlinkSync(path.join(root, made), path.join(context, made));
    const folder = path.join(work, 'release');
    const args = ['dist/release/folder.js', folder, '--commit', 'c0ffee', '--time', '1795000000'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: context, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    const top = readdirSync(folder).filter((name) => !name.endsWith('.md'));
    expect(top).to.have.members(
      'LICENSE NOTICE deploy dist indexer models node_modules package.json platform release.json sdk server'.split(' '),
    );
    const said = JSON.parse(readFileSync(path.join(folder, 'release.json'), 'utf8')) as object;
    expect(said).to.include({ commit: 'c0ffee', committedAt: '2026-11-18T11:06:40.000Z', arch: process.arch });
    const helped = spawnSync(process.execPath, ['server/setup.mjs'], { cwd: folder, encoding: 'utf8' });
    expect(helped.status, helped.stderr).to.equal(0);
    const refused = spawnSync(process.execPath, args, { cwd: context, encoding: 'utf8' });
    expect([refused.status, refused.stderr]).to.deep.equal([1, `${folder} exists already\n`]);
  });

  it('is every file except those generated by installing, building and running', () => {
    const tree = path.join(work, 'tree');
    const files = ['server/main.ts', 'server/data/kept.ts', 'LICENSE'];
    const made = ['.git/HEAD', 'dist/a.js', 'node_modules/koa/index.js', 'data/ledger.sqlite', 'artifacts/a.tar.gz'];
    for (const file of [...files, ...made]) {
      mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
      writeFileSync(path.join(tree, file), '');
    }
    expect(filesIn(tree)).to.have.members(files);
  });
});
