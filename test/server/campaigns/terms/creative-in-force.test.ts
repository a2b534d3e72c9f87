import { expect } from 'chai';
import type { Creative } from '../../../../models/schema/creative.js';
import { overriddenCampaigns, type StoredCampaign } from '../../../../server/campaigns/terms/campaign-file.js';
import { campaignChanges } from '../../../../server/campaigns/terms/change-campaigns.js';
import { lookUpTerms } from '../../../../server/campaigns/terms/creative-in-force.js';
import { testCreative } from '../../../support/test-snapshot.js';

const file = (...campaigns: StoredCampaign[]) => ({ version: 1 as const, campaigns });
const mower = (fields: Partial<Creative> = {}): Creative =>
  testCreative('mower', { campaign: 'Spring', advertiser: 'Green', budgetMicros: 7, ...fields });

describe('the terms in force for a creative', () => {
  const ofAll: StoredCampaign = { name: 'Spring', budgetMicros: 5 };
  const inForce = (creative: Creative, ...set: StoredCampaign[]) => {
    const { creative: held, feed, overridden: fields } = lookUpTerms(file(...set))(creative);
    expect(feed).to.equal(creative);
    return [held.budgetMicros, fields];
  };

  it('are the feed’s if nothing is set for its campaign, or it has no campaign', () => {
    expect(inForce(mower())).to.deep.equal([7, []]);
    expect(inForce(mower(), { name: 'Winter', budgetMicros: 5 })).to.deep.equal([7, []]);
    expect(inForce(mower({ campaign: null }), ofAll)).to.deep.equal([7, []]);
  });

  it('are those set for its advertiser’s campaign, or else for all of the name, and list the fields set', () => {
    expect(inForce(mower(), ofAll)).to.deep.equal([5, ['budgetMicros']]);
    const own: StoredCampaign = { name: 'Spring', of: 'Green', paused: true, budgetMicros: null };
    expect(inForce(mower(), ofAll, own)).to.deep.equal([null, ['paused', 'budgetMicros']]);
    expect(inForce(mower({ advertiser: 'Blue' }), ofAll, own)).to.deep.equal([5, ['budgetMicros']]);
  });

  it('list every campaign changed by a command, with its advertiser', () => {
    const listed = overriddenCampaigns(file(ofAll, { name: 'Spring', of: null, paused: true }));
    expect(listed).to.deep.equal([
      { campaign: 'Spring', fields: ['budgetMicros'] },
      { campaign: 'Spring', of: null, fields: ['paused'] },
    ]);
  });
});

describe('a change of the terms in force', () => {
  const fieldsOf = (before: StoredCampaign[], after: StoredCampaign[], ...feed: Creative[]) =>
    campaignChanges(
      file(...before),
      file(...after),
      feed.map((creative) => ({ creative })),
    ).map(({ subject, fields }) => [subject.name, fields]);

  it('names the feed’s terms if nothing was set before, or nothing is set any more', () => {
    const set: StoredCampaign = { name: 'Spring', of: 'Green', budgetMicros: 5 };
    const feed = [mower({ campaign: null }), mower({ campaign: 'Winter', budgetMicros: 1 }), mower()];
    const name = 'Spring (Green)';
    expect(fieldsOf([], [set], ...feed)).to.deep.equal([[name, { budgetMicros: { old: 7, new: 5, feed: 'old' } }]]);
    expect(fieldsOf([set], [], ...feed)).to.deep.equal([[name, { budgetMicros: { old: 5, new: 7, feed: 'new' } }]]);
    expect(fieldsOf([], [{ ...set, of: 'Blue' }], ...feed)).to.deep.equal([
      ['Spring (Blue)', { budgetMicros: { old: null, new: 5 } }],
    ]);
    const paused = { name: 'Spring', paused: true };
    expect(fieldsOf([], [paused], ...feed)).to.deep.equal([
      ['Spring', { paused: { old: false, new: true, feed: 'old' } }],
    ]);
  });
});
