import { expect } from 'chai';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { setCampaign } from '../../../server/campaigns/terms/set-terms.js';
import { eventually } from '../../support/eventually.js';
import { feedRow, writeFeed } from '../../support/feed.js';
import { runCommand } from '../../support/indexer-command.js';
import { HOSTILE, type Operator, startOperator } from './operator.js';

const now = Date.parse('2026-11-21T20:00:00Z');
const pricing = { model: 'cpm', micros: 2_000_000 } as const;

/** Creatives of three advertisers; two have a campaign of the same name. */
const ROWS = [
  feedRow('boots', { advertiser: 'Fellwalk', campaign: 'Sale 9', pricing, endsAt: '2026-12-01T00:00:00Z' }),
  feedRow('socks', { advertiser: 'Fellwalk', campaign: 'Sale 9', pricing, endsAt: '2026-12-01T00:00:00Z' }),
  feedRow('tea', { advertiser: 'Leaf & Kettle', campaign: 'Sale 10', pricing, endsAt: '2027-01-01T00:00:00Z' }),
  feedRow('cups', { advertiser: HOSTILE, campaign: 'Sale 10', pricing }),
];

/** Returns impressions and clicks of a creative, which are dated a number of days ago. */
function traffic(creative: string, campaign: string, advertiser: string, kinds: readonly number[], daysAgo = 0) {
  const claims = { publisher: 'Chat', creative, campaign, advertiser, pricing };
  return kinds.map((clicks, at) => ({
    at: now - daysAgo * 86_400_000 - at * 60_000,
    claims,
    kinds: clicks > 0 ? (['impression', 'click'] as const) : (['impression'] as const),
  }));
}

const PAST = [
  ...traffic('boots', 'Sale 9', 'Fellwalk', [0, 0, 1, 1]),
  ...traffic('tea', 'Sale 10', 'Leaf & Kettle', [0, 0, 0, 0, 0, 1]),
  ...traffic('cups', 'Sale 10', HOSTILE, [1], 40),
];

describe('the list of campaigns', () => {
  let operator: Operator;
  before(async () => {
    operator = await startOperator({ feeds: [ROWS], past: PAST, clock: () => now });
    await operator.signIn();
    const partner = writeFeed(operator.folder, [feedRow('jam', { campaign: 'Jars' })], 'partner.jsonl');
    const { code, stderr } = await runCommand('main', operator.dataDir, partner, '--source', 'orchard');
    expect(code, stderr).to.equal(0);
    await campaignStore(operator.dataDir).change((file) => setCampaign(file, { name: 'Planned' }, { pacing: 'even' }));
    await eventually(async () => expect(await rowsOf('')).to.have.length(5));
  });
  after(() => operator.close());

  const page = (query: string) => operator.page(`/admin/campaigns${query}`);
  /** Returns the cells of each row as text, without its form. */
  const rowsOf = async (query: string): Promise<string[][]> => {
    const [, body = ''] = /<tbody>([^]*?)<\/tbody>/.exec(await page(query)) ?? [];
    return [...body.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) =>
      [...row!.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) =>
        cell!
          .replaceAll(/<[^>]+>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    );
  };
  const namesOf = async (query: string) => (await rowsOf(query)).map(([name]) => name!.replace('&amp;', '&'));
  const linksOf = (html: string, pattern: RegExp): string[] =>
    [...html.matchAll(pattern)].map(([, href]) => href!.replaceAll('&amp;', '&'));

  it('has each campaign’s figures of the period, separately for advertisers with a campaign of one name', async () => {
    const rows = Object.fromEntries((await rowsOf('')).map(([name, , , , ...numbers]) => [name, numbers.slice(0, 4)]));
    expect(rows).to.include.keys('Sale 9 Fellwalk', 'Sale 10 Leaf &amp; Kettle');
    expect(rows['Sale 9 Fellwalk']).to.deep.equal(['4', '2', '50.00 %', '0.008']);
    expect(rows['Sale 10 Leaf &amp; Kettle']).to.deep.equal(['6', '1', '16.67 %', '0.012']);
    const [hostile] = await rowsOf('?q=SCRIPT&from=2026-10-01&to=2026-10-31');
    expect(hostile!.slice(4, 8)).to.deep.equal(['1', '1', '100.00 %', '0.002']);
    const [now] = await rowsOf('?q=script');
    expect(now!.slice(4, 8)).to.deep.equal(['0', '0', '–', '0.00']);
    expect(await page('')).to.not.include('<script');
  });

  it('finds campaigns by a part of their name, advertiser or source', async () => {
    expect(await namesOf('?q=sale+9')).to.deep.equal(['Sale 9 Fellwalk']);
    expect(await namesOf('?q=KETTLE')).to.deep.equal(['Sale 10 Leaf & Kettle']);
    expect(await namesOf('?q=orchard')).to.deep.equal(['Jars –']);
    expect(await page('?q=nothing+of+it'))
      .to.include('No campaign matches.')
      .and.include('0 of 5 campaigns');
    expect(await namesOf('?advertiser=Fellwalk')).to.deep.equal(['Sale 9 Fellwalk']);
    expect(await namesOf('?advertiser=Fell')).to.deep.equal([]);
    expect(await namesOf('?none=advertiser')).to.deep.equal(['Jars –', 'Planned –']);
  });

  for (const [sort, order] of Object.entries({
    name: ['Jars', 'Planned', 'Sale 9', 'Sale 10', 'Sale 10'],
    '-spend': ['Sale 10 Leaf', 'Sale 9'],
    '-impressions': ['Sale 10 Leaf', 'Sale 9'],
    '-clicks': ['Sale 9', 'Sale 10 Leaf'],
    '-ctr': ['Sale 9', 'Sale 10 Leaf'],
    ctr: ['Sale 10 Leaf', 'Sale 9'],
    end: ['Sale 9', 'Sale 10 Leaf'],
    '-end': ['Sale 10 Leaf', 'Sale 9'],
  })) {
    it(`is sorted by ${sort}`, async () => {
      const names = await namesOf(`?sort=${sort}`);
      for (const [place, name] of order.entries()) expect(names[place], `${place}`).to.match(new RegExp(`^${name} `));
      const html = await page(`?sort=${sort}`);
      expect(html.match(/aria-sort="\w+"/g)).to.deep.equal([
        `aria-sort="${sort.startsWith('-') ? 'descending' : 'ascending'}"`,
      ]);
    });
  }

  it('keeps search, period and order in every link, and starts again on the first page', async () => {
    const html = await page('?q=sale&sort=-clicks&from=2026-11-01&to=2026-11-20&page=7');
    const links = [
      ...linksOf(html, /<th [^>]*><a href="([^"]+)"/g),
      ...linksOf(html, /<nav class="pills"[^]*?<a href="([^"]+)"/g),
    ];
    expect(links).to.have.length(7);
    for (const link of links) {
      const { searchParams } = new URL(link, 'http://x');
      expect([searchParams.get('q'), searchParams.get('page')], link).to.deep.equal(['sale', null]);
    }
    const [byName, byImpressions, byClicks] = links;
    expect(byName).to.include('sort=name').and.include('from=2026-11-01');
    expect(byImpressions).to.include('sort=-impressions');
    expect(byClicks).to.include('sort=clicks');
    for (const field of ['name="sort" value="-clicks"', 'name="from" value="2026-11-01"', 'name="q" value="sale"'])
      expect(html).to.include(field);
    expect(html).to.not.include('name="page"');
  });

  it('returns to the same search after a change', async () => {
    const base = `${operator.serving.baseUrl}/admin`;
    const send = (referer: string) =>
      operator.send('/admin/campaigns/pause', { name: 'Jars', of: '', paused: 'true' }, { referer });
    for (const [referer, location] of [
      [`${base}/campaigns?q=sale&page=2`, '/admin/campaigns?q=sale&page=2'],
      [`${base}/keys?page=2`, '/admin/campaigns'],
      ['https://evil.example/admin/campaigns?q=x', '/admin/campaigns'],
    ] as const)
      expect((await send(referer)).headers.get('location'), referer).to.equal(location);
    expect((await rowsOf('?q=jars'))[0]![1]).to.equal('paused 1 creative');
  });

  it('says that a campaign does not run once all its creatives are taken down, or if it has none', async () => {
    const state = async (name: string) => (await rowsOf(`?q=${name}`))[0]![1];
    expect(await state('Sale+9')).to.equal('running 2 creatives');
    expect(await state('Planned')).to.equal('no creatives 0 creatives');
    await operator.send('/admin/creative/block', { id: 'boots' });
    expect(await state('Sale+9')).to.equal('running 2 creatives, 1 taken down');
    await operator.send('/admin/creative/block', { id: 'socks' });
    expect(await state('Sale+9')).to.equal('taken down 2 creatives, 2 taken down');
    await operator.send('/admin/creative/unblock', { id: 'socks' });
    expect(await state('Sale+9')).to.equal('running 2 creatives, 1 taken down');
  });
});
