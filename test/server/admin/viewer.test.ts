import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { accessStore, type Role } from '../../../server/access/access-file.js';
import { createToken, revokeToken, setRole } from '../../../server/access/access-operations.js';
import { MAX_SESSIONS } from '../../../server/admin/session/sessions.js';
import { mayRequest } from '../../../server/admin/session/role-routes.js';
import { takeDown } from '../../../server/takedown/changes.js';
import { eventually } from '../../support/eventually.js';
import { fortnight, ROWS, startOperator, TOKEN, type Operator } from './operator.js';

const FORM = 'application/x-www-form-urlencoded';

describe('a viewer', () => {
  let operator: Operator;
  let now = Date.now();
  let viewer: string;
  before(async () => {
    // Two feeds: a snapshot to go back to.
    operator = await startOperator({ feeds: [ROWS.slice(0, 2), ROWS], past: fortnight(now), clock: () => now });
    const { dataDir } = operator;
    const by = { via: 'command', user: 'anna', host: 'one' } as const;
    await takeDown({ dataDir, by, action: 'creatives block', now }, 'tea', 'no licence');
    await operator.signIn();
    await operator.send('/admin/keys/create', { publisher: 'Chat', kind: 'live' });
    viewer = await create('Vera', 'viewer');
  });
  after(() => operator.close());

  const create = async (name: string, role: Role, expiresAt: number | null = null): Promise<string> => {
    const store = accessStore(operator.dataDir);
    const { token } = await store.change((file) => createToken(file, { name, role, expiresAt }, now));
    // A token that the server does not know yet counts as a guess.
    for (let look = 0; look < 9 && (await bearer(token)).status !== 200; look++) await pause(500);
    now += 300_000;
    return token;
  };
  const bearer = (token: string, init: RequestInit = {}, place = '/reports') =>
    fetch(`http://127.0.0.1:${operator.serving.port}/admin/api${place}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
    });

  /** Follows every link from the overview on. @returns links and addresses of forms that were offered, by status */
  const crawl = async () => {
    const statuses = new Map<string, number>();
    const forms = new Set<string>();
    let bodies = '';
    const open = ['/admin/'];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      // Whatever the filters; creatives that are taken down have another form.
      const id = new URL(place, 'http://here.example').searchParams.get('id');
      const page = place.replace(/[?#].*/, '') + (id === null ? '' : `?id=${id}`);
      if (statuses.has(page)) continue;
      const answer = await operator.get(place);
      statuses.set(page, answer.status);
      const html = await answer.text();
      bodies += html;
      const text = (encoded: string) => encoded.replaceAll('&amp;', '&');
      open.push(...[...html.matchAll(/href="(\/admin\/[^"#]*)"/g)].map(([, href]) => text(href!)));
      for (const [, action] of html.matchAll(/<form[^>]*method="post"[^>]*action="([^"?]*)/g)) forms.add(action!);
    }
    return { statuses, forms, bodies };
  };
  /** Everything that is stored, except what the viewer's own use changes. */
  const stored = () =>
    ['keys.json', 'campaigns.json', 'taken-down.json', 'current', 'audit.jsonl', 'signing-keys.json']
      .filter((name) => readdirSync(operator.dataDir).includes(name))
      .map((name) => [name, readFileSync(path.join(operator.dataDir, name), 'utf8')]);

  it('is offered nothing that is refused, and no key', async () => {
    await operator.signIn(viewer);
    const { statuses, forms, bodies } = await crawl();
    expect([...statuses].filter(([, status]) => status !== 200)).to.deep.equal([]);
    expect([...statuses.keys()]).to.include.members(['/admin/reports', '/admin/reports.csv', '/admin/invoice']);
    expect([...forms]).to.have.members(['/admin/sign-out', '/admin/explain']);
    expect(bodies)
      .to.include('Vera, viewer')
      .and.not.match(/\b(pub|key|access)_/);
    expect(bodies).to.not.match(/>\s*Change\s*</);
  });

  it('is refused every other page and form of an administrator, and changes nothing', async () => {
    await operator.signIn();
    const all = await crawl();
    expect([...all.forms]).to.include.members([
      '/admin/keys/create',
      '/admin/keys/rotate',
      '/admin/keys/deactivate',
      '/admin/campaigns/pause',
      '/admin/creative/block',
      '/admin/creative/unblock',
      '/admin/snapshots/rollback',
    ]);
    await operator.signIn(viewer);
    const own = await crawl();
    const before = stored();
    const others = [...all.statuses.keys()].filter((page) => !own.statuses.has(page));
    expect(others).to.have.members(['/admin/keys', '/admin/snapshots', '/admin/audit', '/admin/system']);
    for (const page of others) {
      const answer = await operator.get(page);
      expect(answer.status, page).to.equal(403);
      expect(await answer.text()).to.include(
        'This needs the role admin; the access token of Vera has the role viewer.',
      );
    }
    const fields = { publisher: 'New', kind: 'live', id: 'boots', name: 'autumn', paused: 'true', overlap: '0' };
    for (const form of all.forms) {
      if (own.forms.has(form)) continue;
      expect((await operator.send(form, fields)).status, form).to.equal(403);
    }
    expect(stored()).to.deep.equal(before);
  });

  it('finds no way around by methods, types or spellings', async () => {
    await operator.signIn(viewer);
    const before = stored();
    const status = (method: string, target: string, headers: Record<string, string> = {}, body = '') =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: operator.serving.port, method, path: target, agent: false };
        const sent = request({ ...options, headers: { cookie: operator.cookie, ...headers } }, (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode));
        });
        sent.on('error', reject);
        sent.end(body);
      });
    expect(await status('HEAD', '/admin/reports')).to.equal(200);
    expect(await status('GET', '/admin/reports/')).to.equal(200);
    expect(await status('HEAD', '/admin/keys')).to.equal(403);
    for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
      expect(await status('POST', '/admin/keys/create', { [name]: 'GET', 'content-type': FORM }), name).to.equal(403);
      expect(await status('GET', '/admin/campaigns', { [name]: 'POST' }), name).to.equal(200);
    }
    expect(await status('POST', '/admin/campaigns/pause?_method=GET', { 'content-type': FORM })).to.equal(403);
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])
      expect(await status('POST', '/admin/keys/create', type === '' ? {} : { 'content-type': type }, '{}')).to.equal(
        403,
      );
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect(await status(method, '/admin/keys/create'), method).to.equal(405);
    for (const target of [
      '/admin/keys/',
      '/admin/keys?x=/reports',
      '/admin/reports/../keys',
      '/admin/reports/..%2fkeys',
      '/admin/%6beys',
      '/admin//keys',
      '/admin/KEYS',
      '/admin/keys;/reports',
      '/admin/keys%00',
      '/admin/api/../keys',
      '//admin/keys',
      `http://127.0.0.1:${operator.serving.port}/admin/keys`,
    ])
      expect(await status('GET', target), target).to.be.oneOf([401, 403, 404]);
    expect(stored()).to.deep.equal(before);
  });

  it('has a conversation explained by a form of its own pages only', async () => {
    await operator.signIn(viewer);
    const context = 'User: which boots are good for the hills?';
    expect((await operator.send('/admin/explain', { context })).status).to.equal(200);
    expect((await operator.send('/admin/explain', { context, formToken: 'x' })).status).to.equal(403);
    const foreign = await operator.send('/admin/explain', { context }, { origin: 'https://evil.example' });
    expect(foreign.status).to.equal(403);
  });

  it('reads reports over HTTP, and gets a 403 that says why for everything else', async () => {
    expect(await (await bearer(viewer)).json()).to.have.property('rows');
    expect((await bearer(viewer, {}, '/reports?format=csv')).headers.get('content-type')).to.include('text/csv');
    expect((await bearer(viewer, { method: 'HEAD' })).status).to.equal(200);
    const error = 'this needs the role admin; the access token of Vera has the role viewer';
    for (const [method, place] of [
      ['POST', '/reports'],
      ['PUT', '/reports'],
      ['DELETE', '/reports'],
      ['POST', '/campaigns'],
      ['GET', '/keys'],
    ] as const) {
      const answer = await bearer(viewer, { method, headers: { 'x-http-method-override': 'GET' } }, place);
      expect([answer.status, await answer.json()], `${method} ${place}`).to.deep.equal([403, { error }]);
      expect((await bearer('wrong', { method }, place)).status).to.equal(401);
    }
    expect((await bearer(TOKEN, { method: 'POST' })).status).to.equal(405);
    expect((await bearer(TOKEN, {}, '/keys')).status).to.equal(404);
    now += 300_000;
  });

  it('is no administrator any more in a session from before, and sees no key that it created then', async () => {
    const token = await create('Ben', 'admin');
    await operator.signIn(token);
    expect((await operator.send('/admin/keys/create', { publisher: 'Last', kind: 'live' })).status).to.equal(303);
    await accessStore(operator.dataDir).change((file) => setRole(file, 'Ben', 'viewer'));
    await eventually(async () => expect((await operator.get('/admin/keys')).status).to.equal(403), 5000);
    expect((await operator.send('/admin/keys/create', { publisher: 'Later', kind: 'live' })).status).to.equal(403);
    expect((await crawl()).bodies)
      .to.include('Ben, viewer')
      .and.not.include('pub_');
    await operator.signIn();
    expect(await operator.page('/admin/audit'))
      .to.match(/Ben in dashboard session [0-9a-f]{8} from \S+/)
      .and.match(/ADMIN_TOKEN in dashboard session/);
  });

  it('is signed out when the token is revoked, which then opens nothing', async () => {
    const token = await create('Cleo', 'viewer');
    await operator.signIn(token);
    await accessStore(operator.dataDir).change((file) => revokeToken(file, 'Cleo'));
    await eventually(async () => expect((await operator.get('/admin/')).status).to.equal(303), 5000);
    const late = await operator.send('/admin/explain', { context: 'User: hello' });
    expect(late.headers.get('location')).to.equal('/admin/sign-in?ended=1');
    expect((await bearer(token)).status).to.equal(401);
    expect(String(await operator.signIn(token).catch((error: unknown) => error))).to.include('403');
    now += 300_000;
  });

  it('is told when the token has expired, which is no guess', async () => {
    const token = await create('Dora', 'viewer', now + 600_000);
    await operator.signIn(token);
    now += 600_000;
    expect((await operator.get('/admin/')).status).to.equal(303);
    for (let attempt = 0; attempt < 12; attempt++) {
      const answer = await operator.sendBare('/admin/sign-in', { token });
      expect([answer.status, (await answer.text()).includes('This access token has expired.')]).to.deep.equal([
        403,
        true,
      ]);
      expect(await (await bearer(token)).json()).to.deep.equal({ error: 'this access token has expired' });
    }
    await operator.signIn(viewer);
  });

  it('cannot sign others out by signing in often', async () => {
    await operator.signIn();
    for (let number = 0; number <= MAX_SESSIONS; number++) await operator.sendBare('/admin/sign-in', { token: viewer });
    expect((await operator.get('/admin/keys')).status).to.equal(200);
  });

  it('is refused a page that nobody has listed', () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) {
      expect(mayRequest({ role: 'viewer' }, method, '/a-new-page'), method).to.equal(false);
      expect(mayRequest({ role: 'admin' }, method, '/a-new-page'), method).to.equal(true);
    }
    expect(mayRequest({ role: 'viewer' }, 'POST', '/reports')).to.equal(false);
    expect(mayRequest({ role: 'viewer' }, 'HEAD', '/reports')).to.equal(true);
  });
});
