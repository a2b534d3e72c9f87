import { expect } from 'chai';
import type { Creative } from '../../../../models/schema/creative.js';
import type { ServedSnapshot } from '../../../../models/snapshot/load-snapshot.js';
import type { StoredCampaign } from '../../../../server/campaigns/terms/campaign-file.js';
import { createPaidCreatives } from '../../../../server/campaigns/budgets/paid-creatives.js';
import { termsOf } from '../../../../server/campaigns/terms/terms.js';
import { testClaims } from '../../../support/test-claims.js';
import { testCreative } from '../../../support/test-snapshot.js';

describe('the creative that pays for an ad that has left the feed', () => {
  const creatives = [
    testCreative('mower', { campaign: 'Spring', advertiser: 'Green' }),
    testCreative('seeds', { campaign: 'Spring', advertiser: 'Blue' }),
    testCreative('rake', { campaign: 'Autumn', advertiser: 'Green' }),
    testCreative('tea'),
  ];
  const snapshot = { creatives } as unknown as ServedSnapshot;
  let asked: string[];
  let set: StoredCampaign | undefined;
  beforeEach(() => {
    asked = [];
    set = undefined;
  });
  const paying = () => {
    const of = (creative: Creative) => {
      asked.push(creative.id);
      return termsOf(creative, creative.id === 'mower' ? set : undefined);
    };
    const terms = { of, revision: 1 };
    const paidFor = createPaidCreatives({ current: () => snapshot }, terms);
    const payerOf = (advertiser: string | null, campaign: string | null) =>
      paidFor(testClaims({ creative: 'gone', campaign, advertiser }))?.id;
    return { terms, payerOf };
  };

  it('is one of its account, looked up once among the campaigns of its name', () => {
    const { payerOf } = paying();
    expect([payerOf('Green', 'Spring'), payerOf('Blue', 'Spring')]).to.deep.equal(['mower', 'seeds']);
    expect(asked).to.deep.equal(['mower', 'seeds']);
    expect([payerOf('Red', 'Spring'), payerOf('Green', 'Winter'), payerOf('Green', null)]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
    expect(asked).to.deep.equal(['mower', 'seeds']);
  });

  it('is looked up again when the terms change', () => {
    const { terms, payerOf } = paying();
    expect(payerOf('Agency', 'Spring')).to.equal(undefined);
    set = { name: 'Spring', of: 'Green', advertiser: 'Agency' };
    terms.revision++;
    expect([payerOf('Agency', 'Spring'), payerOf('Green', 'Spring')]).to.deep.equal(['mower', undefined]);
  });
});
