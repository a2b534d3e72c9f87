import { expect } from 'chai';
import fc from 'fast-check';
import { STORES } from '../../ledger/temporary-ledger.js';
import { ADVERTISERS, type Happened, OWN, type Parties, PUBLISHERS, readable, startParties } from './parties.js';

const DATES = 'from=2026-09-01&to=2026-11-21';

const PARAMETERS =
  'by by from to page format month advertiser publisher campaign creative none test time-zone sort party name q where ' +
  'number by[] BY';

interface Row extends Record<string, unknown> {
  readonly impressions: number;
  readonly clicks: number;
}
interface Json {
  readonly rows: readonly Row[];
  readonly total: Row;
}

for (const store of STORES) {
  describe(`the figures of advertisers and publishers in ${store}`, function () {
    this.timeout(240_000);
    let parties: Parties;
    let [ana, pablo] = ['', ''];
    before(async () => {
      parties = await startParties(store);
      ({ ana, pablo } = parties);
    });
    after(() => parties.close());

    const json = async (token: string, query: string): Promise<Json> => {
      const answer = await parties.bearer(token, `/api/own?${query}`);
      if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Json;
    };
    const ofAna = ({ claims }: Happened) => claims.advertiser === 'Hill & Dale' && !claims.test;
    const ofPablo = ({ claims }: Happened) => claims.publisher === 'Garden Forum' && !claims.test;
    /** Counts impressions and clicks by a part of what happened, as a report by it has them. */
    const counted = (isOwn: (each: Happened) => boolean, partOf: (each: Happened) => string | null) => {
      const sums = new Map<string | null, [number, number]>();
      for (const each of parties.happened.filter(isOwn)) {
        const [impressions, clicks] = sums.get(partOf(each)) ?? [0, 0];
        sums.set(partOf(each), [impressions + 1, clicks + (each.isClicked ? 1 : 0)]);
      }
      return Object.fromEntries(sums);
    };
    const dayOf = ({ at }: Happened) => new Date(at).toISOString().slice(0, 10);

    it('are exactly those of the ads billed to it, by day, campaign and creative', async () => {
      for (const [by, partOf] of [
        ['day', dayOf],
        ['campaign', ({ claims }: Happened) => claims.campaign],
        ['creative', ({ claims }: Happened) => claims.creative],
      ] as const) {
        const { rows, total } = await json(ana, `by=${by}&${DATES}`);
        const found = rows.map((row) => [row[by], [row.impressions, row.clicks]]);
        expect(Object.fromEntries(found), by).to.deep.equal(counted(ofAna, partOf));
        expect(total).to.include({ impressions: 16, fills: 16, spend: '16.024000', voided: 0 });
        expect(Object.keys(rows[0]!)).to.have.members([
          by,
          'fills',
          'impressions',
          'views',
          'clicks',
          'ctr',
          'spend',
          'ecpm',
          'voided',
          'credits',
        ]);
      }
    });

    it('are exactly those of its live keys, by day, advertiser and creative, without money and campaigns', async () => {
      for (const [by, partOf] of [
        ['day', dayOf],
        ['advertiser', ({ claims }: Happened) => claims.advertiser],
        ['creative', ({ claims }: Happened) => claims.creative],
      ] as const) {
        const { rows, total } = await json(pablo, `by=${by}&${DATES}`);
        // Requests without an ad have no advertiser and creative.
        const found = rows.flatMap((row) => (row[by] === null ? [] : [[row[by], [row.impressions, row.clicks]]]));
        expect(Object.fromEntries(found), by).to.deep.equal(counted(ofPablo, partOf));
        expect(total).to.include({ decisions: 40, fills: 20, impressions: 20 });
        expect(Object.keys(rows[0]!)).to.have.members([
          by,
          'decisions',
          'fills',
          'fillRate',
          'impressions',
          'views',
          'clicks',
          'ctr',
          'voided',
        ]);
      }
      const csv = await (
        await parties.bearer(pablo, `/api/own?by=day,advertiser,creative&from=2026-10-01&format=csv`)
      ).text();
      expect(csv.split('\r\n')[0]).to.equal(
        'day,advertiser,creative,decisions,fills,fillRate,impressions,views,clicks,ctr,voided',
      );
    });

    it('are never others’, whatever the query string', async () => {
      const names = [
        ...ADVERTISERS,
        ...PUBLISHERS,
        'autumn',
        'plan-4',
        'ad-4-0',
        '*',
        '%',
        '',
        "' or 1=1 --",
        '000001',
      ];
      const parameter = fc.tuple(
        fc.constantFrom(...PARAMETERS.split(' ')),
        fc.oneof(
          fc.constantFrom('day', 'campaign', 'creative', 'advertiser', 'publisher', 'hour', 'day,creative', 'day,day'),
          fc.constantFrom('2026-11-01', '2026-10-01', '2026-10', '2026-11', '1', '0', 'csv', 'json', 'html', '-spend'),
          fc.constantFrom(...names),
          fc.string({ maxLength: 12, unit: 'grapheme' }),
        ),
      );
      const query = fc.array(parameter, { maxLength: 4 });
      await parties.operator.signIn(ana);
      const { cookie } = parties.operator;
      await parties.operator.signIn(pablo);
      const cookies = new Map([
        [ana, cookie],
        [pablo, parties.operator.cookie],
      ]);
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(ana, pablo), fc.constantFrom(...OWN), query, async (token, place, given) => {
          const search = new URLSearchParams(given.map(([name, value]) => [name, value])).toString();
          const headers = place.startsWith('/api') ? {} : { cookie: cookies.get(token)! };
          const answer = await parties.bearer(token, `${place}?${search}`, { headers });
          expect(answer.status, search).to.be.oneOf(place.includes('invoice') ? [200, 400, 403, 404] : [200, 400]);
          const body = readable(await answer.text());
          if (answer.status === 200) answered++;
          for (const secret of parties.secretsOf(token)) expect(body, `${place}?${search}`).to.not.include(secret);
          if (answer.status === 200 && place === '/api/own' && body.startsWith('{')) {
            const { total } = JSON.parse(body) as Json;
            expect(total.impressions).to.be.at.most(parties.happened.filter(token === ana ? ofAna : ofPablo).length);
          }
        }),
        { numRuns: 400 },
      );
      expect(answered).to.be.above(20);
    });

    it('cannot be widened: every parameter but days and dimensions is refused, and each when given twice', async () => {
      const wrong = [
        'advertiser=Rival+Inc',
        'advertiser=',
        'publisher=Rival+Chat',
        'none=advertiser',
        'test=1',
        'time-zone=UTC',
        'by=publisher',
        'by=hour',
        'by=day&by=creative',
        'by=day,publisher',
        'from=2026-11-01&from=2020-01-01',
        'from=2020-01-01',
        'by=day,creative&from=2026-05-01',
        'from=2026-11-01T00:00Z',
        'format=xml',
        'format=json&format=csv',
      ];
      for (const query of wrong) {
        for (const token of [ana, pablo]) {
          const answer = await parties.bearer(token, `/api/own?${query}`);
          expect(answer.status, query).to.equal(400);
          expect(await answer.text()).to.match(/^{"error":"/);
        }
      }
      expect((await parties.bearer(pablo, '/api/own?by=campaign')).status).to.equal(400);
      expect((await parties.bearer(ana, '/api/own?by=advertiser')).status).to.equal(400);
    });

    it('wait in turns: four reports at once for a token, and 503 for more', async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => parties.bearer(ana, `/api/own?${DATES}`)));
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses]).to.have.members([200, 503]);
      expect((await parties.bearer(ana, '/api/own')).status).to.equal(200);
    });
  });
}
