import { expect } from 'chai';
import { languageKey } from '../../../models/text/language-tag.js';
import type { Creative } from '../../../models/schema/creative.js';
import { feedRules } from '../../../server/campaigns/campaigns.js';
import { excludedBy, exclusions, ineligibility } from '../../../server/decide/eligibility.js';
import type { Requester } from '../../../server/domain/decision.js';
import { defaultSettings } from '../../../server/keys/key-file.js';
import { testCreative } from '../../support/test-snapshot.js';

const publisher = {
  ...defaultSettings('Garden'),
  test: false,
  blockedCategories: ['Games', 'ÉCOLE'],
  blockedAdvertisers: ['Shop A'],
  foreignLanguages: ['pt-BR'],
};
const of = (language: string | null, country: string | null = null): Requester => ({
  publisher,
  session: undefined,
  language,
  country,
  now: 0,
});

/** Every combination of categories, advertisers, languages and countries. */
const creatives = ['games', 'GAMES', 'école', 'books'].flatMap((category) =>
  [null, 'shop a', 'Shop B'].flatMap((advertiser) =>
    [undefined, 'en-GB', 'nb', 'pt', 'de'].flatMap((language) =>
      [undefined, ['GB', 'NO'], ['FR']].map((countries) =>
        testCreative('c', {
          categories: ['other', category],
          advertiser,
          ...(language === undefined ? {} : { language }),
          ...(countries === undefined ? {} : { countries }),
        }),
      ),
    ),
  ),
);

describe('the exclusions of a search', () => {
  /** As `models/usearch/large-search.ts` and `models/pgvector/pgvector-search.ts` read them. */
  const isExcluded = ({ categories, advertiser, language, countries }: Creative, requester: Requester): boolean => {
    const excluded = exclusions(requester);
    return (
      countries?.includes(excluded.countriesOtherThan ?? '') === false ||
      categories.some((category) => excluded.categories.includes(category.toLowerCase())) ||
      (advertiser !== null && excluded.advertisers.includes(advertiser.toLowerCase())) ||
      (excluded.languagesOtherThan !== null &&
        language !== undefined &&
        !excluded.languagesOtherThan.includes(languageKey(language)))
    );
  };

  for (const language of [null, 'en', 'no', 'de']) {
    it(`match what eligibility rejects by the feed for a conversation in ${language}`, () => {
      for (const country of [null, 'GB', 'DE']) {
        const requester = of(language, country);
        const refused = creatives.filter((creative) => ineligibility(creative, requester) !== null);
        expect(creatives.filter((creative) => isExcluded(creative, requester))).to.deep.equal(refused);
        expect(refused.length).to.be.within(1, creatives.length - 1);
      }
    });
  }

  it('contain names that the request excludes, too', () => {
    const excluded = excludedBy({ categories: ['BOOKS'], advertisers: ['shop  B'], creatives: ['other'] });
    const requester = { ...of('en'), publisher: { ...publisher, blockedCategories: [] }, excluded };
    const refused = creatives.filter((creative) => ineligibility(creative, requester) !== null);
    expect(creatives.filter((creative) => isExcluded(creative, requester))).to.deep.equal(refused);
    expect(refused.length).to.be.within(1, creatives.length - 1);
  });

  it('also block the feed’s advertiser if a command sets another payer, and eligibility blocks the payer', () => {
    const requester = of('en');
    const [blocked] = requester.publisher.blockedAdvertisers;
    const paidBy = (creative: Creative, payer: string) =>
      ineligibility(creative, requester, { ...feedRules, effective: (each) => ({ ...each, advertiser: payer }) });
    const plain = creatives.find((creative) => ineligibility(creative, requester) === null)!;
    expect(paidBy({ ...plain, advertiser: blocked! }, 'Media Agency Ltd')).to.equal('blocked-advertiser');
    expect(paidBy(plain, blocked!)).to.equal('blocked-advertiser');
    expect(paidBy(plain, 'Media Agency Ltd')).to.equal(null);
  });
});
