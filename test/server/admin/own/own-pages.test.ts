import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { STORES } from '../../ledger/temporary-ledger.js';
import { NOW, OWN, type Parties, readable, startParties } from './parties.js';

const SERVER = fileURLToPath(new URL('../../../../../server/admin/', import.meta.url));

for (const store of STORES) {
  describe(`the pages of advertisers and publishers in ${store}`, function () {
    this.timeout(240_000);
    let parties: Parties;
    let [ana, pablo] = ['', ''];
    before(async () => {
      parties = await startParties(store);
      ({ ana, pablo } = parties);
    });
    after(() => parties.close());

    it('include the advertiser’s own closed invoices byte for byte, and no others', async () => {
      const list = (await (await parties.bearer(ana, '/api/own/invoices')).json()) as { invoices: object[] };
      expect(list.invoices).to.deep.equal([
        { month: '2026-10', number: '000002', payable: '8.01', closedAt: new Date(NOW).toISOString() },
      ]);
      await parties.operator.signIn();
      for (const format of ['csv', 'html', 'json']) {
        const own = await parties.bearer(ana, `/api/own/invoice?month=2026-10&format=${format}`);
        const address = new URLSearchParams({ advertiser: 'Hill & Dale', month: '2026-10', format }).toString();
        expect(await own.text()).to.equal(await parties.operator.page(`/admin/invoice?${address}`));
      }
      for (const query of ['month=2026-11', 'month=2026-09'])
        expect((await parties.bearer(ana, `/api/own/invoice?${query}`)).status, query).to.equal(404);
      for (const query of [
        '',
        'month=000001',
        'number=000001',
        'month=2026-10&advertiser=Rival+Inc',
        'month=2026-10&month=2026-10',
      ])
        expect((await parties.bearer(ana, `/api/own/invoice?${query}`)).status, query).to.equal(400);
      for (const place of ['/api/own/invoices', '/api/own/invoice?month=2026-10'])
        expect((await parties.bearer(pablo, place)).status, place).to.equal(403);
    });

    it('are all that such a token opens: every other page, form and address of the API is refused', async () => {
      const sources = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
      const routes = sources.flatMap((file) =>
        [...readFileSync(path.join(SERVER, file), 'utf8').matchAll(/\.(get|post)\(\s*['`](\/[^'`]*)['`]/g)].flatMap(
          ([, method, place]) => {
            const each = place!.startsWith('/keys') ? ['create', 'rotate', 'deactivate'] : ['block', 'unblock'];
            const places = place!.includes('${action}')
              ? each.map((name) => place!.replace('${action}', name))
              : [place!];
            return places.map((address) => [method!.toUpperCase(), address.replace(/^\/admin/, '')] as const);
          },
        ),
      );
      const open = new Set([...OWN, '/sign-in', '/sign-out', '/assets/:file', '/']);
      const others = routes.filter(([, place]) => !open.has(place));
      expect(others.length).to.equal(25);
      for (const token of [ana, pablo]) {
        await parties.operator.signIn(token);
        for (const [method, place] of others) {
          const answer = place.startsWith('/api')
            ? await parties.bearer(token, place, { method })
            : method === 'GET'
              ? await parties.operator.get(`/admin${place}?advertiser=Hill+%26+Dale&name=Hill+%26+Dale`)
              : await parties.operator.send(`/admin${place}`, { id: 'ad-0-0', name: 'autumn', context: 'User: hello' });
          expect(answer.status, `${method} ${place}`).to.equal(403);
          const body = readable(await answer.text());
          for (const secret of parties.secretsOf(token)) expect(body).to.not.include(secret);
        }
        const home = await parties.operator.get('/admin/?advertiser=Rival+Inc');
        expect([home.status, home.headers.get('location')]).to.deep.equal([303, '/admin/own']);
      }
      expect((await parties.bearer(ana, '/own', { redirect: 'manual' })).headers.get('location')).to.match(
        /^\/admin\/sign-in/,
      );
    });

    it('are where signing in leads to, with the period that was wanted', async () => {
      for (const [next, place] of [
        ['', '/admin/own'],
        ['/own?by=creative', '/admin/own?by=creative'],
        ['/own.csv?by=creative', '/admin/own?by=creative'],
        ['/own/invoice?month=2026-10', '/admin/own'],
        ['/reports?advertiser=Rival+Inc', '/admin/own'],
        ['/own@evil.example', '/admin/own'],
      ] as const) {
        const answer = await parties.operator.sendBare('/admin/sign-in', { token: ana, next });
        expect(answer.headers.get('location'), next).to.equal(place);
      }
    });

    it('are nobody’s for an operator', async () => {
      await parties.operator.signIn();
      for (const place of ['/own', '/own.csv', '/own/invoice?month=2026-10'])
        expect((await parties.operator.get(`/admin${place}`)).status, place).to.equal(403);
      expect(await parties.operator.page('/admin/')).to.not.include('/admin/own');
    });

    it('change with the token’s role and party, in a session that is open', async () => {
      const token = await parties.access('create', '--name', 'Cleo', '--role', 'admin');
      await parties.operator.signIn(token);
      // Leaves a notice for the next page, which names an operator's affairs.
      await parties.operator.send('/admin/keys/deactivate', { id: 'key_Secret' });
      await parties.access('role', 'Cleo', 'advertiser', '--advertiser', 'HILL & DALE');
      const page = readable(await parties.operator.page('/admin/own'));
      expect(page).to.include('Figures of HILL & DALE').and.not.include('Hill & Dale').and.not.include('Secret');
      expect((await parties.operator.get('/admin/keys')).status).to.equal(403);
      await parties.access('role', 'Cleo', 'publisher', '--publisher', 'Rival Chat');
      expect(readable(await parties.operator.page('/admin/own?by=advertiser'))).to.include('Elsewhere');
      expect((await parties.operator.get('/admin/own/invoice?month=2026-10')).status).to.equal(403);
      await parties.access('role', 'Cleo', 'viewer');
      expect((await parties.operator.get('/admin/own')).status).to.equal(403);
      expect((await parties.operator.get('/admin/reports')).status).to.equal(200);
      await parties.access('role', 'Cleo', 'publisher', '--publisher', 'Rival Chat');
      await parties.access('revoke', 'Cleo');
      expect((await parties.operator.get('/admin/own')).headers.get('location')).to.match(/^\/admin\/sign-in/);
    });

    it('need a known name, in the spelling of reports', async () => {
      for (const [role, name] of [
        ['advertiser', 'hill & dale'],
        ['publisher', 'Garden  Forum'],
        ['publisher', 'Hill & Dale'],
      ] as const) {
        const refused = await parties
          .access('create', '--name', 'Eve', '--role', role, `--${role}`, name)
          .catch(String);
        expect(refused).to.match(new RegExp(`there is no ${role} "\\S`));
      }
    });
  });
}
