import { expect } from 'chai';
import { feedRow } from '../../support/feed.js';
import { HOSTILE, type Operator, startOperator } from './operator.js';

const now = Date.parse('2026-11-21T20:00:00Z');
const pricing = { model: 'cpm', micros: 2_000_000 } as const;
const SHOES = Array.from({ length: 14 }, (_, number) =>
  feedRow(`shoe-${number}`, { advertiser: 'Fellwalk', campaign: `Run ${number}`, pricing }),
);
const ROWS = [...SHOES, feedRow('tea', { advertiser: HOSTILE, pricing }), feedRow('cup', { advertiser: 'Quiet' })];

/** Returns an impression of a creative. */
function impression(creative: string, campaign: string | null, advertiser: string, daysAgo: number) {
  const claims = { publisher: 'Chat', creative, campaign, advertiser, pricing };
  return { at: now - daysAgo * 86_400_000, claims, kinds: ['impression'] as const };
}

const PAST = [
  ...Array.from({ length: 14 }, (_, number) => impression(`shoe-${number}`, `Run ${number}`, 'Fellwalk', number)),
  impression('shoe-3', 'Run 3', 'Fellwalk', 1),
  impression('old', 'Gone', 'Fellwalk', 2),
  impression('tea', null, HOSTILE, 50),
];

describe('the page of an advertiser', () => {
  let operator: Operator;
  before(async () => {
    operator = await startOperator({ feeds: [ROWS], past: PAST, clock: () => now });
    await operator.signIn();
  });
  after(() => operator.close());

  const page = (name: string, more = '') => operator.page(`/admin/advertiser?name=${encodeURIComponent(name)}${more}`);
  /** Returns the section of a page under a heading. */
  const section = (html: string, title: string) =>
    html.split('<section class="card">').find((part) => part.includes(`<h2>${title}`)) ?? '';
  const linkOf = (html: string, text: string) =>
    new RegExp(`href="([^"]*)">${text}<`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

  it('has its figures of the period alone, with fills by day', async () => {
    const html = await page('Fellwalk');
    expect(html).to.match(/Impressions<\/dt>\s*<dd><span class="value">16</);
    expect(html)
      .to.match(/Spend<\/dt>\s*<dd><span class="value">0.03</)
      .and.not.include('Fill rate</dt>');
    expect(html).to.include('aria-label="Fills by day, 2026-10-23 to 2026-11-21: 16 in all."');
    expect(await page('Fellwalk', '&from=2026-11-21&to=2026-11-21')).to.match(
      /Impressions<\/dt>\s*<dd><span class="value">1</,
    );
  });

  it('has its first twelve campaigns by spend, with their states, and links to all', async () => {
    const campaigns = section(await page('Fellwalk'), 'Campaigns');
    const names = [...campaigns.matchAll(/<td class="name"><a [^>]*>([^<]+)</g)].map(([, name]) => name);
    expect(names).to.have.length(12);
    expect(names[0]).to.equal('Run 3');
    expect(campaigns).to.include('top 12 of 14').and.include('>running<').and.not.include('aria-sort');
    const all = await operator.page(linkOf(campaigns, 'All campaigns'));
    expect(all).to.include('14 of 14 campaigns').and.include('Only campaigns of Fellwalk.').and.include('Run 13');
  });

  it('has its first twelve creatives by impressions, also those that have left the catalogue', async () => {
    const creatives = section(await page('Fellwalk'), 'Creatives');
    expect(creatives)
      .to.include('top 12 of 15')
      .and.match(/<tbody>\s*<tr><td[^>]*><a [^>]*>Shop shoe-3</);
    expect(await operator.page(linkOf(creatives, 'All creatives'))).to.include('15 rows');
    expect(section(await page('Fellwalk', '&from=2026-11-19&to=2026-11-19'), 'Creatives')).to.include('>old<');
  });

  it('links to its report, invoices and creatives, which know it', async () => {
    const [, html = ''] = (await page('Fellwalk', '&from=2026-11-01&to=2026-11-21')).split('<main');
    expect(linkOf(html, 'Report')).to.equal('/admin/reports?by=day&advertiser=Fellwalk&from=2026-11-01&to=2026-11-21');
    expect(await operator.page(linkOf(html, 'Invoices')))
      .to.include('Every month of Fellwalk')
      .and.include('2026-11');
    expect(await operator.page(linkOf(html, 'Live catalogue'))).to.include('14 of 16 creatives');
  });

  it('is reached from campaigns, reports, invoices and creatives', async () => {
    for (const place of [
      '/campaigns',
      '/reports?by=advertiser',
      '/invoices?month=2026-11',
      '/creative?id=shoe-1',
      '/reports?by=advertiser,campaign',
    ])
      expect(await operator.page(`/admin${place}`), place).to.match(/href="\/admin\/advertiser\?name=Fellwalk/);
    // With other filters, which the page has not, a name leads to a report with all of them.
    expect(await operator.page('/admin/reports?by=advertiser&publisher=Chat')).to.not.include('/admin/advertiser');
  });

  it('escapes its name, is empty without traffic, and is 404 for one that nobody knows', async () => {
    expect(await page(HOSTILE, '&from=2026-10-01&to=2026-10-10'))
      .to.include('<h1>&lt;script&gt;')
      .and.not.include('<script');
    expect(await page('Quiet'))
      .to.include('No creative was shown in this period.')
      .and.include('No campaign of the live catalogue');
    for (const [name, fault] of [
      ['Fellwak', 'There is no advertiser &quot;Fellwak&quot;; near it: &quot;Fellwalk&quot;.'],
      ['', 'There is no advertiser without a name.'],
    ] as const) {
      const answer = await operator.get(`/admin/advertiser?name=${name}`);
      expect([answer.status, (await answer.text()).includes(fault)], name).to.deep.equal([404, true]);
    }
  });

  it('is where a pause in it leads back to', async () => {
    const referer = `${operator.serving.baseUrl}/admin/advertiser?name=Fellwalk&from=2026-11-01`;
    const answer = await operator.send('/admin/campaigns/pause', { name: 'Run 3', paused: 'true' }, { referer });
    expect(answer.headers.get('location')).to.equal('/admin/advertiser?name=Fellwalk&from=2026-11-01');
    expect(await page('Fellwalk'))
      .to.include('Run 3 is paused')
      .and.include('>paused<');
  });
});
