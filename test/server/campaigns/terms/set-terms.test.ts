import { expect } from 'chai';
import type { CampaignFile, StoredCampaign } from '../../../../server/campaigns/terms/campaign-file.js';
import { resolveCampaign, setCampaign, unsetCampaign } from '../../../../server/campaigns/terms/set-terms.js';

const file = (...campaigns: StoredCampaign[]): CampaignFile => ({ version: 1, campaigns });
const shared: StoredCampaign = { name: 'Spring', paused: true, budgetMicros: 5 };

describe('setting the terms of a campaign', () => {
  it('applies to the only advertiser with that campaign name, or to the name alone if there is none', () => {
    expect(resolveCampaign(file(), 'Spring', ['Green'])).to.deep.equal({ name: 'Spring', feedAdvertiser: 'Green' });
    expect(resolveCampaign(file(), 'Spring', [null])).to.deep.equal({ name: 'Spring', feedAdvertiser: null });
    expect(resolveCampaign(file(), 'Spring', [])).to.deep.equal({ name: 'Spring' });
    expect(resolveCampaign(file({ name: 'Spring', of: 'Gone' }), 'Spring', [])).to.deep.equal({
      name: 'Spring',
      feedAdvertiser: 'Gone',
    });
  });

  it('needs an advertiser if several have such a campaign, and rejects one that has none', () => {
    expect(() => resolveCampaign(file(), 'Spring', ['Green', null])).to.throw('--of says whose: "Green", "none"');
    expect(() => resolveCampaign(file(), 'Spring', ['Green', 'Blue'], 'Gren')).to.throw('near it: "Green"');
    expect(resolveCampaign(file(), 'Spring', ['Green', null], null)).to.deep.equal({
      name: 'Spring',
      feedAdvertiser: null,
    });
  });

  it('copies the terms set for the name alone, which stay for other advertisers', () => {
    const some = file(structuredClone(shared));
    setCampaign(some, resolveCampaign(some, 'Spring', [], 'Green', true), { paused: false });
    expect(some.campaigns).to.deep.equal([shared, { ...shared, of: 'Green', paused: false }]);
  });

  it('splits the terms of a name by advertiser as soon as one of them is changed', () => {
    const some = file(structuredClone(shared), { name: 'Spring', of: 'Blue', paused: false });
    unsetCampaign(some, resolveCampaign(some, 'Spring', ['Green', 'Blue'], 'Blue'));
    expect(some.campaigns).to.deep.equal([{ ...shared, of: 'Green' }]);
  });

  it('rejects a payer that pays for another campaign of this name', () => {
    const owners = ['Green', 'Blue', null];
    const some = file({ name: 'Spring', of: 'Green', advertiser: 'Agency' }, { name: 'Winter', advertiser: 'Other' });
    const pay = (feedAdvertiser: string | null, advertiser: string | null) => () =>
      setCampaign(structuredClone(some), { name: 'Spring', feedAdvertiser }, { advertiser }, owners);
    expect(pay('Blue', 'Agency')).to.throw('"Agency" pays for the campaign "Spring" of "Green" already');
    expect(pay('Green', 'Blue')).to.throw('"Blue" pays for the campaign "Spring" of "Blue" already');
    expect(pay('Blue', null)).to.throw('of "none" already');
    for (const advertiser of ['Green', 'Blue', 'Other']) expect(pay('Blue', advertiser)).to.not.throw();
    expect(() => setCampaign(file(), { name: 'Spring' }, { advertiser: 'Agency' }, owners)).to.throw('already');
    expect(() => setCampaign(file(), { name: 'Spring' }, { advertiser: 'Agency' }, ['Green'])).to.not.throw();
  });

  it('can change and unset a campaign if an earlier release let one account pay for two', () => {
    const owners = ['Green', 'Blue'];
    const some = file(...owners.map((of) => ({ name: 'Spring', of, advertiser: 'Agency' })));
    setCampaign(some, { name: 'Spring', feedAdvertiser: 'Blue' }, { paused: true }, owners);
    unsetCampaign(some, { name: 'Spring', feedAdvertiser: 'Blue' }, owners);
    expect(some.campaigns).to.deep.equal([{ name: 'Spring', of: 'Green', advertiser: 'Agency' }]);
  });

  it('cannot be undone while the feed’s payer pays for another campaign of this name', () => {
    const some = file(
      { name: 'Spring', of: 'Green', advertiser: 'Agency' },
      { name: 'Spring', of: 'Blue', advertiser: 'Green' },
    );
    const unset = () => unsetCampaign(some, { name: 'Spring', feedAdvertiser: 'Green' }, ['Green', 'Blue']);
    expect(unset).to.throw('"Green" pays for the campaign "Spring" of "Blue" already');
  });
});
