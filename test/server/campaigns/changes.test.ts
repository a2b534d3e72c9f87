import { expect } from 'chai';
import type { CampaignFile, StoredCampaign } from '../../../server/campaigns/campaign-file.js';
import { ownedCampaign, setCampaign, unsetCampaign } from '../../../server/campaigns/changes.js';

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
});
