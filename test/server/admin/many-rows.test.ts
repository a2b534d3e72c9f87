import { expect } from 'chai';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { setCampaign } from '../../../server/campaigns/terms/set-terms.js';
import { createKey } from '../../../server/keys/key-operations.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { type Operator, startOperator } from './operator.js';

describe('more keys than fit on one page', function () {
  this.timeout(60_000);
  let operator: Operator;
  before(async () => {
    operator = await startOperator();
    await operator.signIn();
    const wishes = { test: false, origins: [], expiresAt: null, requestsPerMinute: null };
    await keyStore(operator.dataDir).change((file) => {
      for (let number = 0; number < 150; number++) createKey(file, { ...wishes, publisher: `Chat ${number}` }, number);
    });
  });
  after(() => operator.close());

  const publishersOn = async (page: string): Promise<string[]> =>
    [...(await operator.page(`/admin/keys${page}`)).matchAll(/<td[^>]*><a [^>]*>(Chat \d+)<\/a>/g)].map(
      ([, name]) => name!,
    );

  it('are shown a hundred per page, latest first, with links between the pages', async () => {
    const first = await publishersOn('');
    expect([first.length, first[0], first[99]]).to.deep.equal([100, 'Chat 149', 'Chat 50']);
    expect(await operator.page('/admin/keys'))
      .to.include('href="/admin/keys?page=2" rel="next"')
      .and.include('Page 1 of 2');
    const second = await publishersOn('?page=2');
    expect([second.length, second[0], second[49]]).to.deep.equal([50, 'Chat 49', 'Chat 0']);
    expect(await operator.page('/admin/keys?page=2')).to.include('href="/admin/keys?page=1" rel="prev"');
  });

  it('are shown for any page number, however wrong', async () => {
    for (const page of ['-1', 'x', '1e308', 'NaN', '0']) {
      expect((await publishersOn(`?page=${page}`)).length).to.be.oneOf([100, 50]);
    }
  });

  it('are shown on the same page after one was rotated or deactivated', async () => {
    const page = await operator.page('/admin/keys?page=2');
    const [id = ''] = /key_\w+/.exec(page) ?? [];
    expect(page).to.include('<input type="hidden" name="page" value="2">');
    for (const action of ['rotate', 'deactivate']) {
      const answer = await operator.send(`/admin/keys/${action}`, { id, page: '2', overlap: '1h' });
      expect(answer.headers.get('location')).to.equal('/admin/keys?page=2');
    }
    const first = await operator.send('/admin/keys/deactivate', { id, page: '1' });
    expect(first.headers.get('location')).to.equal('/admin/keys');
  });
});

describe('more campaigns than fit on one page', function () {
  this.timeout(60_000);
  let operator: Operator;
  before(async () => {
    operator = await startOperator({ settings: { TIME_ZONE: 'Europe/Berlin' } });
    await operator.signIn();
    await campaignStore(operator.dataDir).change((file) => {
      for (let number = 0; number < 250; number++) {
        setCampaign(file, { name: `C${number}` }, { startsAt: '2026-11-01T08:00:00Z' });
      }
    });
  });
  after(() => operator.close());

  it('are shown a hundred per page, with links between the pages', async () => {
    const namesOn = async (page: string): Promise<string[]> =>
      [...(await operator.page(`/admin/campaigns${page}`)).matchAll(/>(C\d+)<\/a>/g)].map(([, name]) => name!);
    const all = [await namesOn(''), await namesOn('?page=2'), await namesOn('?page=3')];
    expect(all.map((names) => names.length)).to.deep.equal([100, 100, 50]);
    expect(new Set(all.flat()).size).to.equal(250);
    expect(await operator.page('/admin/campaigns?page=2'))
      .to.include('href="/admin/campaigns?page=3" rel="next"')
      .and.include('href="/admin/campaigns?page=1" rel="prev"')
      .and.include('2026-11-01 09:00');
  });
});
