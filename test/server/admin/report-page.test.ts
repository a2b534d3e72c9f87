import { expect } from 'chai';
import { feedRow } from '../../support/feed.js';
import { ROWS, startOperator, TOKEN, type Operator, type Past } from './operator.js';

/** Returns a page's text without its tags. */
const wordsOf = (page: string): string =>
  page
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"');

/** The day on which summer time ends, seen from two days later. */
const now = Date.parse('2026-10-27T20:00:00Z');
const at = (text: string): number => Date.parse(text);
const impression = { kinds: ['impression'] as const };
const PAST: readonly Past[] = [
  { at: at('2026-10-25T00:10:00Z'), claims: { publisher: 'Chat' }, ...impression },
  { at: at('2026-10-25T01:10:00Z'), claims: { publisher: 'Chat' }, ...impression },
  { at: at('2026-10-25T01:20:00Z'), claims: { publisher: 'Chat 10', advertiser: null }, ...impression },
  { at: at('2026-10-26T09:00:00Z'), claims: { publisher: 'Chat 9' }, ...impression },
  ...['tea', 'a-zither', 'boots', 'unnamed'].map((creative) => ({
    at: at('2026-08-10T09:00:00Z'),
    claims: { publisher: 'Chat', creative },
    ...impression,
  })),
];

describe('the page of reports', () => {
  let operator: Operator;
  before(async () => {
    const settings = { TIME_ZONE: 'Europe/Berlin' };
    operator = await startOperator({
      feeds: [[...ROWS, feedRow('a-zither', { name: 'Zither Lessons' })]],
      past: PAST,
      clock: () => now,
      settings,
    });
    await operator.signIn();
  });
  after(() => operator.close());

  const report = (query: string) => operator.page(`/admin/reports?${query}`);
  const linksOf = (page: string) =>
    [...page.matchAll(/href="(\/admin\/reports[^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  /** Returns the cells of a table's last row, its total. */
  const totalOf = (page: string) => [.../<tfoot>([^]*)<\/tfoot>/.exec(page)![1]!.matchAll(/<td[^>]*>([^<]*)/g)];
  const decisionsOf = (page: string, column = 1) => totalOf(page)[column]![1];

  it('keeps its filters when a day is opened', async () => {
    const page = await report('by=day&publisher=Chat&from=2026-10-25&to=2026-10-26');
    expect(decisionsOf(page)).to.equal('2');
    const day = linksOf(page).find((href) => href.includes('by=hour'))!;
    expect(decisionsOf(await operator.page(day))).to.equal('2');
  });

  it('shows a campaign without an advertiser alone, and keeps that when sorted, downloaded or seen over other days', async () => {
    const all = await report('by=campaign');
    expect(decisionsOf(all, 2)).to.equal('4');
    const own = linksOf(all).find((href) => href.includes('none=advertiser') && href.includes('campaign=autumn'))!;
    const page = await operator.page(own);
    expect(decisionsOf(page)).to.equal('1');
    expect(wordsOf(page)).to.include('no advertiser · campaign autumn');
    expect(page)
      .to.match(/name="none" value="advertiser" checked/)
      .and.match(/type="hidden" name="none"/);
    const others = [...page.matchAll(/href="([^"]*)"/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
      .filter((href) => /sort=|csv|from=2026-10-27/.test(href));
    expect(others.length).to.be.greaterThan(5);
    for (const href of others) expect(new URLSearchParams(href.split('?')[1]).get('none'), href).to.equal('advertiser');
    // A blank field of the form means any advertiser.
    expect(decisionsOf(await report('by=creative&campaign=autumn&advertiser='))).to.equal('4');
    expect(
      decisionsOf(await report('by=creative&none=campaign&none=advertiser&advertiser=Fellwalk&campaign=autumn')),
    ).to.equal('3');
  });

  it('tells the two equal hours at the end of summer time apart', async () => {
    const page = await report('by=hour&from=2026-10-25&to=2026-10-26');
    const hours = [...page.matchAll(/<td>(2026-[^<]*)<\/td>/g)].map(([, hour]) => hour);
    expect(hours).to.deep.equal(['2026-10-26 10:00', '2026-10-25 02:00 +01:00', '2026-10-25 02:00 +02:00']);
    expect(page)
      .to.match(/>25 Oct<\/text>/)
      .and.match(/>26 Oct<\/text>/);
  });

  it('names filters that match nothing known, and names near them', async () => {
    const words = async (query: string) => wordsOf(await report(query));
    expect(await words('publisher=Chatt')).to.match(
      /in this period with these filters\. There is no publisher "Chatt"; near it: "Chat"/,
    );
    expect(await words('campaign=autum&creative=boats'))
      .to.include('There is no campaign "autum"; near it: "autumn".')
      .and.include('There is no creative "boats"; near it: "boots".');
    expect(await words('creative=tea'))
      .to.include('Nothing was decided')
      .and.not.include('There is no');
    expect(await words('publisher=Chat&from=2026-10-01&to=2026-10-01')).to.not.include('There is no');
    expect(await words('none=advertiser&from=2026-10-01&to=2026-10-01')).to.not.include('There is no');
  });

  it('offers the names of advertisers and campaigns for its filters', async () => {
    const page = await report('by=day');
    expect(page).to.match(/<input name="campaign"[^>]* list="campaign-names">/);
    expect(page).to.match(/<datalist id="campaign-names"><option value="autumn">/);
    expect(page).to.match(/<datalist id="advertiser-names"><option value="Fellwalk">/);
    expect(page).to.not.include('creative-names');
  });

  it('reads dates that are the wrong way round', async () => {
    const page = await report('by=publisher&from=2026-10-26&to=2026-10-25');
    expect(decisionsOf(page)).to.equal('4');
    expect(page).to.include('name="from" value="2026-10-25"').and.include('name="to" value="2026-10-26"');
  });

  it('is downloaded with a byte order mark, for Excel on Windows', async () => {
    const bytes = Buffer.from(await (await operator.get('/admin/reports.csv?by=publisher')).arrayBuffer());
    expect(bytes.toString('utf8')).to.match(/^\ufeffpublisher,decisions,/);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const api = await fetch(`${operator.serving.baseUrl}/admin/api/reports?by=publisher&format=csv`, { headers });
    expect(Buffer.from(await api.arrayBuffer()).toString('utf8')).to.match(/^publisher,decisions,/);
  });

  it('sorts creatives by the names it shows, and publishers as people count', async () => {
    const namesOf = async (query: string) =>
      [...(await report(query)).matchAll(/<td class="name"><a [^>]*>([^<]*)<\/a>/g)].map(([, name]) => name);
    expect(await namesOf('by=publisher&sort=publisher')).to.deep.equal(['Chat', 'Chat 9', 'Chat 10']);
    expect(await namesOf('by=publisher&sort=-publisher')).to.deep.equal(['Chat 10', 'Chat 9', 'Chat']);
    const summer = 'by=creative&from=2026-08-01&to=2026-08-31';
    const names = ['Fellwalk Boots', 'Tea of the Month', 'unnamed', 'Zither Lessons'];
    expect(await namesOf(`${summer}&sort=creative`)).to.deep.equal(names);
    expect(await namesOf(`${summer}&sort=-creative`)).to.deep.equal(names.toReversed());
  });
});
