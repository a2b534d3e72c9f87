import { expect } from 'chai';
import type { CampaignFile, StoredCampaign } from '../../../../server/campaigns/terms/campaign-file.js';
import { ownedCampaign, setCampaign, unsetCampaign } from '../../../../server/campaigns/terms/set-terms.js';

const file = (...campaigns: StoredCampaign[]): CampaignFile => ({ version: 1, campaigns });
const shared: StoredCampaign = { name: 'Spring', paused: true, budgetMicros: 5 };

describe('what is set for a campaign', () => {
  it('is for whoever has the only one of its name, and for the name alone while nobody has', () => {
    expect(ownedCampaign(file(), 'Spring', ['Green'])).to.deep.equal({ name: 'Spring', of: 'Green' });
    expect(ownedCampaign(file(), 'Spring', [null])).to.deep.equal({ name: 'Spring', of: null });
    expect(ownedCampaign(file(), 'Spring', [])).to.deep.equal({ name: 'Spring' });
    expect(ownedCampaign(file({ name: 'Spring', of: 'Gone' }), 'Spring', [])).to.deep.equal({
      name: 'Spring',
      of: 'Gone',
    });
  });

  it('needs to be told whose it is where several have one, and is refused for whoever has none', () => {
    expect(() => ownedCampaign(file(), 'Spring', ['Green', null])).to.throw('--of says whose: "Green", "none"');
    expect(() => ownedCampaign(file(), 'Spring', ['Green', 'Blue'], 'Gren')).to.throw('near it: "Green"');
    expect(ownedCampaign(file(), 'Spring', ['Green', null], null)).to.deep.equal({ name: 'Spring', of: null });
  });

  it('takes over what was set for its name alone, which stays for others', () => {
    const some = file(structuredClone(shared));
    setCampaign(some, ownedCampaign(some, 'Spring', [], 'Green', true), { paused: false });
    expect(some.campaigns).to.deep.equal([shared, { ...shared, of: 'Green', paused: false }]);
  });

  it('is told apart for all who have one of its name, as soon as one of them is changed', () => {
    const some = file(structuredClone(shared), { name: 'Spring', of: 'Blue', paused: false });
    unsetCampaign(some, ownedCampaign(some, 'Spring', ['Green', 'Blue'], 'Blue'));
    expect(some.campaigns).to.deep.equal([{ ...shared, of: 'Green' }]);
  });

  it('names no payer whose campaign of this name is another one', () => {
    const owners = ['Green', 'Blue', null];
    const some = file({ name: 'Spring', of: 'Green', advertiser: 'Agency' }, { name: 'Winter', advertiser: 'Other' });
    const pay = (of: string | null, advertiser: string | null) => () =>
      setCampaign(structuredClone(some), { name: 'Spring', of }, { advertiser }, owners);
    expect(pay('Blue', 'Agency')).to.throw('"Agency" pays for the campaign "Spring" of "Green" already');
    expect(pay('Green', 'Blue')).to.throw('"Blue" pays for the campaign "Spring" of "Blue" already');
    expect(pay('Blue', null)).to.throw('of "none" already');
    for (const advertiser of ['Green', 'Blue', 'Other']) expect(pay('Blue', advertiser)).to.not.throw();
    expect(() => setCampaign(file(), { name: 'Spring' }, { advertiser: 'Agency' }, owners)).to.throw('already');
    expect(() => setCampaign(file(), { name: 'Spring' }, { advertiser: 'Agency' }, ['Green'])).to.not.throw();
  });

  it('can be changed, and unset, where an earlier release let two be paid from one account', () => {
    const owners = ['Green', 'Blue'];
    const some = file(...owners.map((of) => ({ name: 'Spring', of, advertiser: 'Agency' })));
    setCampaign(some, { name: 'Spring', of: 'Blue' }, { paused: true }, owners);
    unsetCampaign(some, { name: 'Spring', of: 'Blue' }, owners);
    expect(some.campaigns).to.deep.equal([{ name: 'Spring', of: 'Green', advertiser: 'Agency' }]);
  });

  it('stays while whoever would pay again pays for another campaign of its name by now', () => {
    const some = file(
      { name: 'Spring', of: 'Green', advertiser: 'Agency' },
      { name: 'Spring', of: 'Blue', advertiser: 'Green' },
    );
    const unset = () => unsetCampaign(some, { name: 'Spring', of: 'Green' }, ['Green', 'Blue']);
    expect(unset).to.throw('"Green" pays for the campaign "Spring" of "Blue" already');
  });
});
