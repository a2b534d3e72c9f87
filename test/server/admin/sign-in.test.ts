import { expect } from 'chai';
import { startOperator, TOKEN, type Operator } from './operator.js';

const HOUR = 3_600_000;

describe('signing in to the dashboard', () => {
  let operator: Operator;
  let now = Date.parse('2026-11-21T12:00:00Z');
  before(async () => void (operator = await startOperator({ clock: () => now })));
  after(() => operator.close());

  const signIn = (fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    operator.sendBare('/admin/sign-in', { token: TOKEN, ...fields }, headers);

  it('is required for every page, and then returns to it', async () => {
    for (const place of [
      '/',
      '/reports?by=day',
      '/reports.csv',
      '/creatives',
      '/creative?id=x',
      '/publishers',
      '/keys',
      '/snapshots',
      '/campaigns',
      '/invoices',
      '/system',
      '/audit',
    ]) {
      const answer = await operator.get(`/admin${place}`);
      expect(answer.status, place).to.equal(303);
      const back = place === '/' ? '' : `?next=${encodeURIComponent(place)}`;
      expect(answer.headers.get('location')).to.equal(`/admin/sign-in${back}`);
      expect(await answer.text()).to.equal('');
    }
    expect((await signIn({ next: '/reports?by=day' })).headers.get('location')).to.equal('/admin/reports?by=day');
  });

  it('leads to the page of a download, which would leave the sign-in on the screen', async () => {
    const answer = await signIn({ next: '/reports.csv?by=day&publisher=Chat' });
    expect(answer.headers.get('location')).to.equal('/admin/reports?by=day&publisher=Chat');
    const invoice = await signIn({ next: '/invoice?advertiser=Acme&month=2026-10&format=csv' });
    expect(invoice.headers.get('location')).to.equal('/admin/invoices?advertiser=Acme&month=2026-10&format=csv');
    expect((await signIn({ next: '/constructor' })).headers.get('location')).to.equal('/admin/constructor');
  });

  it('takes no large form from anyone', async () => {
    expect((await signIn({ token: 'x'.repeat(9000) })).status).to.equal(413);
  });

  it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const answer = await signIn();
    expect(answer.status).to.equal(303);
    const [cookie, ...attributes] = answer.headers.get('set-cookie')!.split('; ');
    expect(cookie).to.match(/^adjacent_admin=[\w-]{43}$/);
    expect(attributes).to.have.members(['Path=/admin', 'HttpOnly', 'SameSite=Strict']);
  });

  it('never redirects outside the dashboard', async () => {
    for (const next of [
      '//evil.example/',
      '/\\evil.example',
      'https://evil.example/',
      '/../..//evil.example/',
      '/../',
      'x',
    ]) {
      const place = (await signIn({ next })).headers.get('location')!;
      expect(new URL(place, 'http://here.example/').href, next).to.match(/^http:\/\/here\.example\/admin\//);
    }
  });

  it('is refused with a wrong token, without a hint of how close it was', async () => {
    for (const token of ['', 'wrong', TOKEN.slice(0, -1), `${TOKEN}x`]) {
      const answer = await signIn({ token });
      expect(answer.status).to.equal(403);
      expect(answer.headers.get('set-cookie')).to.equal(null);
      expect(await answer.text()).to.include('This is not an access token of this installation.');
    }
  });

  it('is logged, with the address only if it fails', async () => {
    const line = (message: string) => operator.logged.findLast(({ msg }) => msg === message);
    await signIn({ token: 'wrong' });
    await signIn();
    expect(line('a sign-in to the dashboard failed')).to.include({ level: 40, ip: '127.0.0.1' });
    expect(line('signed in to the dashboard')).to.include({ level: 30 }).and.to.not.have.property('ip');
  });

  it('is refused for a form from another site', async () => {
    expect((await signIn({}, { origin: 'https://evil.example' })).status).to.equal(403);
    expect((await signIn({}, { 'sec-fetch-site': 'cross-site' })).status).to.equal(403);
    expect((await signIn({}, { origin: 'null' })).status).to.equal(403);
    expect((await signIn({}, { origin: operator.serving.baseUrl, 'sec-fetch-site': 'same-origin' })).status).to.equal(
      303,
    );
  });

  it('expires after two hours without use, and after twelve in any case', async () => {
    await operator.signIn();
    now += 2 * HOUR - 1;
    expect((await operator.get('/admin/')).status).to.equal(200);
    now += 2 * HOUR;
    expect((await operator.get('/admin/')).status).to.equal(303);
    await operator.signIn();
    for (let hour = 0; hour < 11; hour++) {
      now += HOUR;
      expect((await operator.get('/admin/')).status).to.equal(200);
    }
    now += HOUR;
    expect((await operator.get('/admin/')).status).to.equal(303);
  });

  it('reports that a form sent after the session’s end changed nothing, and returns to the form’s page', async () => {
    await operator.signIn();
    now += 2 * HOUR;
    const { baseUrl } = operator.serving;
    const late = async (headers: Record<string, string>) => {
      const answer = await operator.send('/admin/keys/create', { publisher: 'Too late', kind: 'live' }, headers);
      expect(answer.status).to.equal(303);
      return answer.headers.get('location')!;
    };
    const place = await late({ referer: `${baseUrl}/admin/keys?page=2` });
    expect(place).to.equal('/admin/sign-in?ended=1&next=%2Fkeys%3Fpage%3D2');
    expect(await operator.page(place))
      .to.include('role="alert">You were signed out; nothing was changed.<')
      .and.include('name="next" value="/keys?page=2"');
    expect(await operator.page('/admin/sign-in')).to.not.include('You were signed out');
    for (const referer of [
      `${baseUrl}/admin/`,
      `${baseUrl}/elsewhere`,
      `${baseUrl}/administration/keys`,
      `${baseUrl}/admin/../elsewhere`,
      'https://evil.example/admin/keys',
      'about:client',
      'nonsense',
    ])
      expect(await late({ referer }), referer).to.equal('/admin/sign-in?ended=1');
    expect(await late({})).to.equal('/admin/sign-in?ended=1');
    await operator.signIn();
    expect(await operator.page('/admin/keys')).to.not.include('Too late');
  });

  it('ends with sign-out, on the server too', async () => {
    await operator.signIn();
    const answer = await operator.send('/admin/sign-out', {});
    expect(answer.headers.get('set-cookie')).to.match(/^adjacent_admin=; Max-Age=0; Path=\/admin; HttpOnly/);
    expect((await operator.get('/admin/')).status).to.equal(303);
  });

  it('is refused for a while after ten failures, even with the right token', async () => {
    now += HOUR;
    for (let attempt = 0; attempt < 10; attempt++) expect((await signIn({ token: 'guess' })).status).to.equal(403);
    const answer = await signIn();
    expect(answer.status).to.equal(429);
    expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 300);
    now += 300_000;
    expect((await signIn()).status).to.equal(303);
  });
});

describe('signing in below a path, over TLS', () => {
  it('limits the cookie to the path and to TLS', async () => {
    const operator = await startOperator({ settings: { BASE_URL: 'https://ads.example/ads' } });
    try {
      const toPage = await operator.get('/admin');
      expect(toPage.headers.get('location')).to.equal('/ads/admin/');
      for (const origin of ['https://ads.example', `http://127.0.0.1:${operator.serving.port}`]) {
        const late = await operator.sendBare('/admin/explain', {}, { referer: `${origin}/ads/admin/explain` });
        expect(late.headers.get('location')).to.equal('/ads/admin/sign-in?ended=1&next=%2Fexplain');
      }
      const answer = await operator.sendBare('/admin/sign-in', { token: TOKEN }, { origin: 'https://ads.example' });
      expect(answer.headers.get('location')).to.equal('/ads/admin/');
      const attributes = answer.headers.get('set-cookie')!.split('; ').slice(1);
      expect(attributes).to.have.members(['Path=/ads/admin', 'HttpOnly', 'SameSite=Strict', 'Secure']);
      await operator.signIn();
      const page = await operator.page('/admin/');
      const addresses = [...page.matchAll(/(?:href|action|src)="(\/[^"]*)"/g)].map(([, address]) => address);
      expect(addresses.filter((address) => !address!.startsWith('/ads/admin/'))).to.deep.equal([]);
      expect(addresses).to.include('/ads/admin/keys');
    } finally {
      await operator.close();
    }
  });
});
