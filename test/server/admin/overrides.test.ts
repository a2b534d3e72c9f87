import { expect } from 'chai';
import { IGNORED_REASONS } from '../../../models/schema/event-kinds.js';
import { sharesOf } from '../../../server/admin/pages/reasons.js';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { setCampaign } from '../../../server/campaigns/terms/set-terms.js';
import { type Operator, ROWS, startOperator } from './operator.js';

/** Returns a page's text without its tags. */
const wordsOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('terms that a command has set over the feed, in the dashboard', () => {
  let operator: Operator;
  before(async () => {
    operator = await startOperator({ feeds: [ROWS] });
    await operator.signIn();
  });
  after(() => operator.close());

  const words = async (place: string) => wordsOf(await operator.page(place));

  it('are not mentioned as long as none are set', async () => {
    for (const place of ['/admin/creatives', '/admin/creative?id=boots', '/admin/campaigns']) {
      expect(await operator.page(place)).to.not.include('set by command');
    }
    expect(await words('/admin/creatives')).to.include('2.345 CPM');
  });

  it('are shown as the billed price, marked, next to the feed’s price', async () => {
    const change = { pricing: { model: 'cpc', micros: 1_250_000 }, endsAt: '2031-01-01T00:00:00.000Z' } as const;
    await campaignStore(operator.dataDir).change((file) => setCampaign(file, { name: 'autumn' }, change));
    const list = await words('/admin/creatives');
    expect(list).to.include('1.25 CPC set by command').and.not.include('2.345');
    expect(list.match(/set by command/g)).to.have.length(1);
    const one = await words('/admin/creative?id=boots');
    expect(one).to.include('1.25 USD per click set by command; the feed says 2.345 USD per thousand impressions');
    expect(one).to.include('always – 2031-01-01 00:00 set by command; the feed says always – no end');
    expect(await operator.page('/admin/creative?id=tea')).to.not.include('set by command');
    expect(await words('/admin/campaigns')).to.match(/1\.25 CPC set by command .* set by command/);
  });

  it('include the advertiser, by which creatives are also found', async () => {
    await campaignStore(operator.dataDir).change(
      (file) => (file.campaigns = [{ name: 'autumn', advertiser: 'Outdoor Agency' }]),
    );
    const found = async (search: string) =>
      /(\d) of 3 creatives/.exec(await words(`/admin/creatives?q=${search}`))?.[1];
    expect(await operator.page('/admin/creative?id=boots')).to.match(
      /<dt>Campaign<\/dt><dd><a href="[^"]*\/reports\?by=creative&(amp;)?campaign=autumn&(amp;)?advertiser=Outdoor\+Agency&/,
    );
    expect(await words('/admin/creatives?q=outdoor+agency'))
      .to.include('Fellwalk Boots')
      .and.include('Outdoor Agency');
    expect([await found('outdoor+agency'), await found('SCRIPT'), await found('nobody')]).to.deep.equal([
      '1',
      '1',
      '0',
    ]);
    expect(await found('')).to.equal('3');
  });
});

describe('the reasons in the dashboard', () => {
  it('are each explained in words next to their name', () => {
    const counts = Object.fromEntries(IGNORED_REASONS.map((reason) => [reason, 1]));
    for (const { reason, meaning } of sharesOf(counts as Record<(typeof IGNORED_REASONS)[number], number>)) {
      expect(meaning)
        .to.be.a('string')
        .and.to.match(/ |^Forged/);
      expect(meaning.toLowerCase()).to.not.equal(reason);
    }
  });
});
